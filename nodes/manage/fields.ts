import { COMMON, RESUME_FIELD, timeoutField } from "../common/shared/common-fields.ts";
import { describeNode, type SettingsOf } from "../common/shared/fields.ts";

/** Every action, as `resource.verb`, with the fields that it needs. A channel and a wallet have their own connection. */
const NEEDS = {
  "networks.list": ["connection"],
  "networks.get": ["connection", "target"],
  "channels.list": ["connection"],
  "channels.get": ["connection", "target"],
  "channels.create-or-find": ["connection", "target", "description"],
  "channels.rename": ["connection", "target", "newName"],
  "channels.archive": ["connection", "target"],
  "watchers.list": ["channel"],
  "watchers.get": ["channel", "target"],
  "watchers.rename": ["channel", "target", "newName"],
  "watchers.archive": ["channel", "target", "timeout"],
  "wallets.list": ["connection"],
  "wallets.get": ["connection", "target"],
  "wallets.create-or-find": ["wallet", "description", "timeout"],
  "wallets.rename": ["connection", "target", "newName"],
  "wallets.archive": ["connection", "target"],
  "queries.list": ["channel"],
  "queries.get": ["channel", "target"],
} as const satisfies Record<`${string}.${string}`, readonly string[]>;

export type ManageAction = keyof typeof NEEDS;
type Needed = (typeof NEEDS)[ManageAction][number];

const ACTION_NAMES = Object.keys(NEEDS) as ManageAction[];

export const NODE = describeNode({
  type: "crec-manage",
  version: 1,
  icon: "manage.svg",
  acts: true,
  inputs: 1,
  outputs: ["result"],
  fields: {
    name: COMMON.name,
    connection: { ...COMMON.connection, shown: neededBy("connection") },
    action: { kind: "select", icon: "cogs", options: ACTION_NAMES, default: "channels.list" },
    channel: { ...COMMON.channel, override: "channelId", shown: neededBy("channel") },
    wallet: {
      kind: "config",
      type: "crec-wallet",
      required: true,
      icon: "credit-card",
      shown: neededBy("wallet"),
    },
    /** Of a network the name or the chain selector, of a query the id. */
    target: { kind: "typed", icon: "search", required: true, shown: neededBy("target") },
    newName: { kind: "typed", icon: "pencil", required: true, shown: neededBy("newName") },
    description: { kind: "typed", icon: "align-left", shown: neededBy("description") },
    timeout: { ...timeoutField(60), shown: neededBy("timeout") },
    resume: { ...RESUME_FIELD, shown: neededBy("timeout") },
    allowTest: { ...COMMON.allowTest, shown: { action: ACTION_NAMES.filter(isWrite) } },
  },
});

export type ManageDef = SettingsOf<typeof NODE>;

/** Whether an action changes something at the service. */
export function isWrite(action: ManageAction): boolean {
  return !/\.(list|get)$/.test(action);
}

/** Whether an action needs a field. */
export function needs(action: ManageAction, field: Needed): boolean {
  // A flow that is written by hand can name any action.
  const needed: readonly Needed[] = NEEDS[action] ?? [];
  return needed.includes(field);
}

function neededBy(field: Needed): { action: readonly ManageAction[] } {
  return { action: ACTION_NAMES.filter((action) => needs(action, field)) };
}
