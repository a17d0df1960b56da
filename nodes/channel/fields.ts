import { COMMON } from "../common/shared/common-fields.ts";
import { describeNode, type SettingsOf } from "../common/shared/fields.ts";

export const NODE = describeNode({
  type: "crec-channel",
  version: 1,
  fields: {
    name: COMMON.name,
    connection: COMMON.connection,
    /** The channel's name, or its id. */
    channel: {
      kind: "text",
      icon: "rss",
      placeholder: true,
      required: true,
      lookup: { list: "channels", by: "connection", unknown: "channel.hint.missing" },
    },
    createMissing: { kind: "boolean", default: false },
  },
});

export type ChannelDef = SettingsOf<typeof NODE>;
