import { finite, flag, optional, options } from "../options/index.ts";
import { storeKind } from "./input-kinds.ts";
import { openIn } from "./rule/aside.ts";
import { isRecordKey } from "./rule/ids.ts";
import { listed } from "./rule/pending.ts";
import { CachedRecord } from "./rule/records/cached-record.ts";
import { keyForm } from "./rule/records/key-form.ts";
import { ruleForm } from "./rule/records/rule-record.ts";
import { inGroups } from "./rule/records/stored-keys.ts";
import { isRuleState, type RuleState } from "./rule/rule-state.ts";
import { AWAY_MS, isInUse } from "./rule/rule-uses.ts";
import type { KeyState } from "./rule/state.ts";
import type { AlertStore, RaisedAlert } from "./types.ts";

/**
 * The open alerts of a rule, by its store alone: those whose end it would tell, or has kept and not told. For a rule that is
 * gone, which will not. The store stays open. Nothing is written, unless it `renews` them: a shared store then keeps them for longer.
 * @throws what the store throws
 */
export async function openAlertsIn(store: AlertStore, how?: { renews?: boolean }): Promise<RaisedAlert[]> {
  storeKind(store, "store");
  const { renews = false } = openOptions(how);
  const open = new Map<string, RaisedAlert>();
  const look = async <State extends KeyState | RuleState>(
    record: CachedRecord<State>,
    openOf: (state: State) => RaisedAlert[],
  ) => {
    await record.read();
    const { value } = record;
    const alerts = value === undefined ? [] : [...openOf(value), ...untoldEnds(value)];
    for (const alert of alerts) open.set(alert.id, alert);
    if (renews && alerts.length > 0) await record.keep(Date.now());
  };
  const form = keyForm(store, () => {});
  await look(new CachedRecord(store, "", ruleForm(store)), () => []);
  await inGroups((await store.keys()).filter(isRecordKey), (key) =>
    look(new CachedRecord(store, key, form), (state) =>
      openIn(state).flatMap(({ active, noEnd }) => (active && !noEnd ? [active] : [])),
    ),
  );
  return [...open.values()];
}

const openOptions = options<{ renews?: boolean }>({ renews: optional(flag) });

function untoldEnds(state: KeyState | RuleState): RaisedAlert[] {
  return listed([state]).flatMap(({ kind, alert }) =>
    kind === "recovered" || kind === "ended" ? [alert] : [],
  );
}

/**
 * Whether a copy has the rule of a shared store open, or had it within ten minutes: a rule that is not in use will tell no
 * end. A copy that was killed counts for two and a half hours. The store stays open, and nothing is written.
 * @throws what the store throws
 */
export async function isRuleInUse(store: AlertStore, now: number = Date.now()): Promise<boolean> {
  storeKind(store, "store");
  finite(now, "now");
  const state = (await store.read(""))?.value;
  if (!isRuleState(state)) return false;
  const { uses = [], leftAt = Number.NEGATIVE_INFINITY } = state;
  return isInUse(uses, now) || now - leftAt < AWAY_MS;
}
