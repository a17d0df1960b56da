import { openIn } from "./rule/aside.ts";
import { CachedRecord } from "./rule/cached-record.ts";
import { isRecordKey } from "./rule/ids.ts";
import { keyForm } from "./rule/key-form.ts";
import { inGroups } from "./rule/stored-keys.ts";
import type { AlertStore, RaisedAlert } from "./types.ts";

/**
 * The open alerts of a rule, by its store alone: those whose end it would tell. For a rule that is gone, which will not.
 * The store stays open, and nothing is written.
 * @throws what the store throws
 */
export async function openAlertsIn(store: AlertStore): Promise<RaisedAlert[]> {
  const form = keyForm(store, () => {});
  const open: RaisedAlert[] = [];
  await inGroups((await store.keys()).filter(isRecordKey), async (key) => {
    const record = new CachedRecord(store, key, form);
    await record.read();
    for (const { active, noEnd } of openIn(record.value)) if (active && !noEnd) open.push(active);
  });
  return open;
}
