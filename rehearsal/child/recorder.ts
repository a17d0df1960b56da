import type { Node, NodeDef } from "node-red";
import type { FlowNode } from "../shared/job.ts";
import { type RehearsalContext, repliesOf } from "./host.ts";
import { plainJson } from "./outcomes.ts";
import { idInFlow } from "./runtime-types.ts";

type Message = Record<string, unknown>;

/** Properties of a node, else of the message, that say where a message would have gone. */
const WHERE = ["topic", "url", "filename", "command", "host", "method"];

const LONGEST_TEXT = 120;
/** Of a text or of a value as JSON, for its first line. */
const MOST_READ = 1_024;

/** What takes the place of a node that is not run: it notes what it is given, and answers where there is a reply. */
export function recorderType(context: RehearsalContext) {
  const { RED, host } = context;
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

/** Where it would have gone, else what it is. What the node says goes first: most messages have a topic. */
function summary(config: NodeDef, msg: Message): string {
  const node = config as unknown as FlowNode;
  // A name that is typed otherwise is that of a property of the message.
  const ofNode = WHERE.map((name) => (node[`${name}Type`] === "msg" ? msg[String(node[name])] : node[name]));
  const where = [...ofNode, ...WHERE.map((name) => msg[name])].find(
    (value) => typeof value === "string" && value,
  );
  return oneLine(where ?? msg.payload);
}

function oneLine(value: unknown): string {
  const text = typeof value === "string" ? value : jsonOf(value);
  const line = text.slice(0, MOST_READ).replace(/\s+/g, " ").trim();
  return line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT - 1)}…` : line;
}

/** Also of what contains itself. */
function jsonOf(value: unknown): string {
  if (value === undefined) return "";
  const { value: plain } = plainJson(value, MOST_READ);
  return typeof plain === "string" ? plain : JSON.stringify(plain);
}
