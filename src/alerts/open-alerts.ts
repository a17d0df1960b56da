import { openIn } from "./rule/aside.ts";
import { CachedRecord } from "./rule/cached-record.ts";
import { isRecordKey } from "./rule/ids.ts";
import { keyForm } from "./rule/key-form.ts";
import { isRuleState } from "./rule/rule-state.ts";
import { AWAY_MS, isInUse } from "./rule/rule-uses.ts";
import { inGroups } from "./rule/stored-keys.ts";
import type { AlertStore, RaisedAlert } from "./types.ts";

/**
 * The open alerts of a rule, by its store alone: those whose end it would tell. For a rule that is gone, which will not.
 * The store stays open. Nothing is written, unless it `renews` them: a shared store then keeps them for longer.
 * @throws what the store throws
 */
export async function openAlertsIn(
  store: AlertStore,
  { renews = false }: { renews?: boolean } = {},
): Promise<RaisedAlert[]> {
  const form = keyForm(store, () => {});
  const open: RaisedAlert[] = [];
  await inGroups((await store.keys()).filter(isRecordKey), async (key) => {
    const record = new CachedRecord(store, key, form);
    await record.read();
    const alerts = openIn(record.value).flatMap(({ active, noEnd }) => (active && !noEnd ? [active] : []));
    open.push(...alerts);
    if (renews && alerts.length > 0) await record.keep(Date.now());
  });
  return open;
}

/**
 * Whether a copy has the rule of a shared store open, or had it within ten minutes: a rule that is not in use will tell no
 * end. A copy that was killed counts for two and a half hours. The store stays open, and nothing is written.
 * @throws what the store throws
 */
export async function isRuleInUse(store: AlertStore, now: number = Date.now()): Promise<boolean> {
  const state = (await store.read(""))?.value;
  if (!isRuleState(state)) return false;
  const { uses = [], leftAt = Number.NEGATIVE_INFINITY } = state;
  return isInUse(uses, now) || now - leftAt < AWAY_MS;
}
