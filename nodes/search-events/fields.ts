import { COMMON, CONFIDENCE_OPTIONS, folded } from "../common/shared/common-fields.ts";
import { describeNode, type SettingsOf, stored } from "../common/shared/fields.ts";
import type { ConditionDef } from "../common/shared/stored-values.ts";
import { isTime } from "../common/shared/times.ts";

const ANY = "search-events.placeholder.any";
const TIME = {
  placeholder: "search-events.placeholder.time",
  hint: true,
  check: isTime,
  error: "search-events.error.time",
} as const;

/** An empty filter does not restrict the search. */
export const NODE = describeNode({
  type: "crec-search-events",
  version: 1,
  icon: "search-events.svg",
  inputs: 1,
  outputs: ["events"],
  fields: {
    name: COMMON.name,
    channel: { ...COMMON.channel, override: "channelId" },
    /** Its ABI names the parameters. */
    contract: { ...COMMON.contract, label: "common.label.names-from", hint: true },
    contractEvent: { kind: "typed", icon: "bolt", placeholder: ANY },
    address: {
      kind: "typed",
      icon: "map-marker",
      placeholder: ANY,
      list: true,
      lookup: { list: "addresses", by: "channel" },
    },
    /** Inclusive, so that one search can start where another ended. */
    from: { kind: "typed", icon: "step-backward", ...TIME },
    /** Exclusive. */
    to: { kind: "typed", icon: "step-forward", ...TIME },
    /** Empty for all events that match. */
    limit: {
      kind: "number",
      icon: "list-ol",
      default: "1000",
      least: 1,
      whole: true,
      optional: true,
      placeholder: "search-events.placeholder.all",
      unit: true,
      hint: true,
    },
    filters: folded("filters"),
    /** All types when empty. */
    types: COMMON.types,
    statuses: { kind: "typed", icon: "flag", placeholder: ANY, list: true },
    watcher: {
      kind: "typed",
      icon: "eye",
      placeholder: ANY,
      lookup: { list: "watcher-ids", by: "channel" },
    },
    /** Concerns contract events only, as that of events in does. */
    confidence: { kind: "select", icon: "shield", options: CONFIDENCE_OPTIONS, default: "", hint: true },
    service: { kind: "typed", icon: "cog", placeholder: ANY, list: true },
    operation: {
      kind: "typed",
      icon: "exchange",
      placeholder: ANY,
      lookup: { list: "operations", by: "channel" },
    },
    walletOperation: { kind: "typed", icon: "hashtag", placeholder: ANY },
    query: { kind: "typed", icon: "question", placeholder: ANY, lookup: { list: "queries", by: "channel" } },
    wallet: {
      kind: "typed",
      icon: "credit-card",
      placeholder: ANY,
      lookup: { list: "wallets", by: "channel.connection" },
    },
    network: {
      kind: "typed",
      icon: "link",
      label: "common.label.network",
      placeholder: ANY,
      list: true,
      lookup: { list: "networks", by: "channel.connection" },
    },
    environment: { kind: "select", icon: "globe", options: ["", "mainnet", "testnet"], default: "" },
    conditionsPart: { kind: "section", folded: true },
    match: { kind: "select", icon: "filter", options: ["all", "any"], default: "all" },
    /** About the decoded event: only events that match are sent. */
    conditions: stored<ConditionDef[]>({ default: [], label: false }),
    advanced: folded("advanced"),
    verify: { kind: "boolean", default: true, hint: true },
  },
});

export type SearchEventsDef = SettingsOf<typeof NODE>;
