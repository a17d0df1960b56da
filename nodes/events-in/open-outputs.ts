import type { Node, NodeAPI } from "node-red";
import type { ChannelEvent } from "../../src/index.ts";
import { contractRegistry } from "../common/contracts/contract-registry.ts";
import { eventDecoder } from "../common/contracts/event-tokens.ts";
import type { Library } from "../common/library.ts";
import { isKnownType, toMessage } from "../common/messages/event-message.ts";
import { UndecodedNote } from "../common/messages/undecoded-note.ts";
import type { FlowConsumer } from "./flow/in-flow.ts";
import { useFlowWork } from "./flow/shared-flow-work.ts";
import { DEEPEST } from "./nesting.ts";
import { Outputs, type OutputsOptions } from "./outputs.ts";
import type { ReaderSettings } from "./reader-settings.ts";
import { UnitsNote } from "./units-note.ts";

type OpenOutputsOptions = {
  library: Library;
  settings: ReaderSettings;
  consumer: () => FlowConsumer;
  /** In `msg.crec` of each event. */
  origin: { channelId: string; consumer: string };
  onLeft: OutputsOptions["onLeft"];
};

/** The outputs of a node, and what it notices about the units of amounts. */
export function openOutputs(RED: NodeAPI, node: Node, options: OpenOutputsOptions) {
  const { library, settings, consumer, origin, onLeft } = options;
  const { choices, filters, chosen } = settings;
  const units = new UnitsNote(RED, library);
  const decode = eventDecoder(contractRegistry(RED), library, chosen);
  const decodeEvent = (event: ChannelEvent) => {
    const decoded = decode(event);
    units.note(decoded);
    return decoded;
  };
  const decoding = { ...library, decodeEvent };
  const { consumer: name, ...channel } = origin;
  // On send, the flow does not acknowledge.
  const messageOrigin = {
    ...channel,
    ...{ reader: name, ...(choices.commit === "on-send" ? {} : { consumer: name }) },
  };
  const { flowWork, left, leave } = useFlowWork(RED, { node: node.id, ...origin });
  const outputs = new Outputs({
    ...{ node, flowWork, left, choices, consumer, onLeft },
    toMessage: (delivery) => toMessage(delivery, messageOrigin, decoding),
    isKnownType: (event) => isKnownType(event, library),
    isAskedFor: ({ headers }) => filters.types.some((type) => type === headers.type),
    onUnseenNotice: ({ headers: { type } }) => node.warn(RED._("events-in.warning.unseen-notice", { type })),
    onSilence: (count, why) => node.warn(RED._(`events-in.warning.${why}-flow`, { count })),
    // While flows stop and start, those that are to run may be missing.
    isRunning: (id) => flowWork.isDeploying || Boolean(RED.nodes.getNode(id)),
    undecoded: new UndecodedNote({ node, t: RED._ }, "events-in.warning.undecoded"),
    tooDeep: RED._("events-in.rejection.depth", { levels: DEEPEST }),
    onLost: (offset, why) => node.warn(RED._("events-in.warning.given-up", { offset, why })),
  });
  const close = () => leave(outputs.close());
  return { outputs, units, close };
}
