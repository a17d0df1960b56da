import { COMMON, folded, JSON_TYPES, RESUME_FIELD, timeoutField } from "../common/shared/common-fields.ts";
import { isAddress, isDigits } from "../common/shared/field-checks.ts";
import { describeNode, type SettingsOf } from "../common/shared/fields.ts";

const SHORTEST_NAME = 4;

export const NODE = describeNode({
  type: "crec-create-watcher",
  version: 1,
  icon: "create-watcher.svg",
  acts: true,
  outputs: ["ready", "status"],
  fields: {
    name: COMMON.name,
    channel: { ...COMMON.channel, override: "channelId" },
    watcherName: {
      kind: "typed",
      icon: "eye",
      placeholder: { text: "token-transfers" },
      required: true,
      check: (text) => text.length >= SHORTEST_NAME,
      lookup: { list: "watchers", by: "channel", unknown: "create-watcher.hint.new" },
    },
    source: {
      kind: "select",
      icon: "sitemap",
      options: ["contract", "extension", "service"],
      default: "contract",
    },
    contract: {
      ...COMMON.contract,
      required: true,
      error: "create-watcher.error.contract",
      shown: { source: "contract" },
    },
    /** Its names are those of the platform, so a form shows them as they are stored, with what they mean. */
    extension: {
      kind: "select",
      icon: "puzzle-piece",
      options: ["dvp", "dta.v2"],
      default: "dvp",
      shown: { source: "extension" },
    },
    service: { kind: "typed", icon: "puzzle-piece", required: true, shown: { source: "service" } },
    serviceConfig: {
      kind: "typed",
      icon: "sliders",
      types: JSON_TYPES,
      default: "{}",
      shown: { source: "service" },
    },
    chainSelector: {
      kind: "typed",
      icon: "link",
      label: "common.label.network",
      required: true,
      check: isDigits,
      lookup: {
        list: "networks",
        by: "channel.connection",
        unknown: "create-watcher.error.network-unknown",
      },
      shown: { source: ["extension", "service"] },
    },
    /** What a service looks at; with a contract, another one of the same ABI. */
    address: {
      kind: "typed",
      icon: "map-marker",
      label: "common.label.address",
      placeholder: { text: "0x…" },
      check: isAddress,
      error: "common.error.address",
      lookup: { list: "addresses", by: "channel" },
    },
    /** Names or signatures of events. */
    events: {
      kind: "typed",
      icon: "bolt",
      placeholder: { text: "Transfer, Approval" },
      list: true,
      required: true,
    },
    /** The events of the contract or the extension, to tick. */
    offered: { kind: "custom", role: "group" },
    reliability: folded("reliability"),
    /** 0 sends the watcher on as soon as it is created. */
    timeout: { ...timeoutField(300), least: 0, hint: true },
    resume: RESUME_FIELD,
    allowTest: COMMON.allowTest,
  },
});

export type CreateWatcherDef = SettingsOf<typeof NODE>;
