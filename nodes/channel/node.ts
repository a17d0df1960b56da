import type { NodeAPI } from "node-red";
import { canonicalId, isUuid } from "../../src/protocol/ids.ts";
import {
  type ChannelNode,
  type ChannelRef,
  connectionOf,
  problemIn,
  sharedLookUp,
} from "../common/fields/config-nodes.ts";
import { type FormContext, formContext } from "../common/fields/field-reader.ts";
import { type CodedError, nodeError } from "../common/shared/errors.ts";
import { unsetVariable } from "../common/shared/variables.ts";
import { isForReadOnlyUser } from "../common/status/read-limit.ts";
import { type ChannelDef, NODE } from "./fields.ts";

export default function register(RED: NodeAPI): void {
  function ConstructChannel(this: ChannelNode, def: ChannelDef): void {
    RED.nodes.createNode(this, def);
    this.channel = openChannel(formContext(RED, this, NODE, def));
  }
  RED.nodes.registerType("crec-channel", ConstructChannel);
}

function openChannel(context: FormContext<typeof NODE>): ChannelRef {
  const { RED, fields } = context;
  const { settings } = fields;
  const nameOrId = (settings.channel ?? "").trim();
  const connection = () => connectionOf(RED.nodes, settings.connection);

  const lookUp = async (signal: AbortSignal): Promise<string> => {
    if (isUuid(nameOrId)) return canonicalId(nameOrId);
    const client = await connection().client();
    // Who may only read must not create one by opening a list.
    if (fields.flag("createMissing") && !isForReadOnlyUser()) {
      return (await client.channels.createOrFind({ name: nameOrId }, { signal })).channel.channel_id;
    }
    const channel = await client.channels.findByName(nameOrId, { signal });
    if (channel) return channel.channel_id;
    throw nodeError(
      "CHANNEL_NOT_FOUND",
      `There is no channel named "${nameOrId}", or it is archived. Check the name, with its capital letters, and that the API key belongs to its organization. If both are right, create it, or tick "${fields.label("createMissing")}" in the channel's form.`,
    );
  };
  return {
    label: nameOrId,
    problem: unsetVariable(settings) ?? problemOf(nameOrId, connection),
    connection,
    resolve: sharedLookUp(lookUp),
  };
}

function problemOf(nameOrId: string, connection: () => unknown): CodedError | undefined {
  if (nameOrId === "") {
    return nodeError(
      "CHANNEL_INCOMPLETE",
      "The channel's name or id is missing. Open the channel and fill it in.",
    );
  }
  return problemIn(connection);
}
