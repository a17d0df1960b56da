import type { Node, NodeAPI, NodeDef } from "node-red";
import type { FlowNode } from "../shared/job.ts";
import type { ChildHost } from "./host.ts";
import { idInFlow } from "./id-in-flow.ts";
import { repliesOf } from "./replies.ts";

type Message = Record<string, unknown>;

/** Properties of a node, or of the message, that say where a message would have gone. */
const WHERE = ["topic", "url", "filename", "command", "host", "method"];

const LONGEST_TEXT = 120;

/** What takes the place of a node that is not run: it notes what it is given, and answers where there is a reply. */
export function recorderType(RED: NodeAPI, host: ChildHost) {
  return function Recorder(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    const id = idInFlow(this);
    const reply = repliesOf(host.job, id);
    this.on("input", (msg, send, done) => {
      host.note({ kind: "sent", node: id, text: summary(config, msg as Message), message: msg }, msg);
      const messages = reply(msg);
      if (messages !== undefined) send(messages as never);
      done();
    });
  };
}

/** Where it would have gone, else what it is. */
function summary(config: NodeDef, msg: Message): string {
  const node = config as unknown as FlowNode;
  const where = WHERE.map((name) => node[name] || msg[name]).find(
    (value) => typeof value === "string" && value,
  );
  return oneLine(where ?? msg.payload);
}

function oneLine(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT - 1)}…` : line;
}
