import { readJournal, sealed } from "../journal/stored-journal.ts";
import { readWatch, sealedWatch } from "../taken-back/index.ts";
import type { AlertStore } from "../types.ts";
import { areOutcomes, pendingOf } from "./pending.ts";
import type { RecordForm } from "./record-form.ts";
import { isRuleState, type RuleState } from "./rule-state.ts";

/** The form of the record of a rule. */
export function ruleForm(store: AlertStore): RecordForm<RuleState> {
  return {
    read: async (_key, value, known) => {
      if (!isRuleState(value)) return undefined;
      const { watch, pending, ...state } = value;
      const kept = areOutcomes(pending)
        ? pendingOf(pending)
        : (await readJournal(pending, store, areOutcomes, known?.pending))?.journal;
      return {
        ...state,
        ...(watch === undefined ? {} : { watch: await readWatch(watch, store, known?.watch) }),
        ...(kept && { pending: kept }),
      };
    },
    sealed: async (state) => {
      const watch = state.watch && (await sealedWatch(state.watch, store));
      const pending = state.pending && (await sealed(state.pending, store));
      if (watch === state.watch && pending === state.pending) return state;
      return { ...state, ...(watch && { watch }), ...(pending && { pending }) };
    },
    stored: ({ watch, pending, ...state }) => ({
      ...state,
      ...(watch && { watch: { ...watch, watched: watch.watched.toJSON(), past: watch.past.toJSON() } }),
      ...(pending && { pending: pending.toJSON() }),
    }),
    renewed: (state) => (state.pending ? { ...state, pending: state.pending.renewed() } : state),
    journals: ({ watch, pending }) => [watch?.watched.journal, watch?.past, pending],
  };
}
