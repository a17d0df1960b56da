import type { FlowNode } from "../../../../rehearsal/shared/flow-node.ts";
import type { TestReplies, TestReply } from "../../../../rehearsal/shared/job.ts";
import { make } from "../make.ts";
import { nodeName } from "../node-names.ts";
import { word } from "../words.ts";
import { row } from "./fields.ts";

/** What nodes that are not run answer. `read` returns a sentence where a text is no message. */
type ReplyFields = { element: HTMLElement; read(): TestReplies | string };

/** Nodes that ask somebody else and send on the answer. */
const ASKING =
  /^(?:http request|tcp request|exec|file in|crec-(?:run-query|submit-operation|operation|create-watcher|manage|account|api))$/;

/** A field for each such node: the message that it answers with, as JSON, or a list with one for each output. */
export function replyFields(flows: readonly FlowNode[], before: TestReplies): ReplyFields {
  const nodes = flows.filter(
    ({ id, type, wires = [] }) => (ASKING.test(type) && wires.length > 0) || id in before,
  );
  const fields = nodes.map(({ id, type, name = "" }) => {
    const field = make("textarea");
    field.rows = 2;
    field.placeholder = '{"payload": 1}';
    field.value = textOf(before[id]);
    return { id, name: nodeName(id, { type, name }), field };
  });
  const element = make("details", "", make("summary", "", word("label.replies")));
  element.hidden = fields.length === 0;
  element.open = fields.some(({ field }) => field.value !== "");
  element.append(make("p", "crec-hint", word("hint.replies")));
  element.append(...fields.map(({ name, field }) => row(name, field)));
  const read = (): TestReplies | string => {
    const replies: Record<string, readonly TestReply[]> = {};
    for (const { id, name, field } of fields) {
      if (field.value.trim() === "") continue;
      const reply = replyIn(field.value);
      if (reply === undefined) return word("error.reply", { name });
      replies[id] = [reply];
    }
    return replies;
  };
  return { element, read };
}

function replyIn(text: string): TestReply | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const messages: unknown[] = Array.isArray(value) ? value : [value];
    const isMessage = (one: unknown) => one === null || (typeof one === "object" && !Array.isArray(one));
    return messages.every(isMessage) ? (messages as unknown as TestReply) : undefined;
  } catch {
    return undefined;
  }
}

/** The first one: the form has no others. */
function textOf(replies: readonly TestReply[] | undefined): string {
  const [reply] = replies ?? [];
  if (reply === undefined) return "";
  return JSON.stringify(reply.length === 1 ? reply[0] : reply);
}
