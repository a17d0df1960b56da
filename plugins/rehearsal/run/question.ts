import { fieldsOf, invalidRequest, textIn } from "../../../nodes/common/admin/answer.ts";
import type { FlowNode, TestReplies } from "../../../rehearsal/shared/job.ts";
import {
  type AskedSpan,
  GO_ON,
  GO_ON_MOST,
  type StartQuestion,
  UPLOAD,
  type UploadQuestion,
} from "../types.ts";

/**
 * What was posted, checked. Values of a span are checked where it is made of them.
 * @throws INVALID_REQUEST
 */
export function startQuestion(body: unknown): StartQuestion {
  const { flows, tabs, span, copyContext, askQueries, modules, ...more } = fieldsOf(body);
  const { seed = 1, goOn = GO_ON, replies = {}, again } = more;
  if (!Array.isArray(flows) || !flows.every(isNode))
    return invalidRequest('Send "flows": a list of nodes, each with the texts "id" and "type".');
  if (!Number.isSafeInteger(seed)) return invalidRequest('Send "seed" as a whole number.');
  if (typeof goOn !== "number" || !(goOn >= 0 && goOn <= GO_ON_MOST))
    return invalidRequest(`Send "goOn" as a number of minutes from 0 to ${GO_ON_MOST}.`);
  return {
    flows,
    tabs: textsOf(tabs, "tabs"),
    span: spanIn(span),
    copyContext: copyContext === true,
    askQueries: askQueries === true,
    modules: textsOf(modules ?? [], "modules"),
    seed: seed as number,
    goOn,
    replies: repliesIn(replies),
    ...(typeof again === "number" ? { again } : {}),
  };
}

/** For each node a list of replies, each of which has a message or null for each output. */
function repliesIn(value: unknown): TestReplies {
  const isMessage = (one: unknown) => one === null || (typeof one === "object" && !Array.isArray(one));
  const isReply = (one: unknown) => Array.isArray(one) && one.every(isMessage);
  const lists = Object.values(fieldsOf(value));
  if (lists.every((list) => Array.isArray(list) && list.length > 0 && list.every(isReply)))
    return value as TestReplies;
  return invalidRequest('Send "replies" as {"id of a node": [[{"payload": 1}]]}.');
}

function isNode(value: unknown): value is FlowNode {
  const { id, type } = fieldsOf(value);
  return typeof id === "string" && typeof type === "string";
}

function textsOf(value: unknown, name: string): string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  return invalidRequest(`Send "${name}" as a list of texts.`);
}

function spanIn(value: unknown): AskedSpan {
  const { last, from, to, offsets, upload } = fieldsOf(value);
  if (textIn(upload) !== "") return { upload: textIn(upload) };
  if (typeof last === "number") return { last };
  if (typeof from === "number" && typeof to === "number") return { from, to };
  const [first, end] = Array.isArray(offsets) ? (offsets as unknown[]) : [];
  if (typeof first === "number" && typeof end === "number") return { offsets: [first, end] };
  return invalidRequest(
    'Send "span" as {"last": hours}, {"from": ms, "to": ms}, {"offsets": [first, last]} or {"upload": "its name"}.',
  );
}

/** The file of events that was uploaded last. It comes in parts, and is kept until another one begins. */
export class Uploads {
  #name = "";
  #parts: string[] = [];
  #length = 0;

  /** @throws INVALID_REQUEST */
  add(body: unknown): void {
    const { upload, index, text } = fieldsOf(body) as Partial<UploadQuestion>;
    if (typeof upload !== "string" || typeof text !== "string" || text.length > UPLOAD.part)
      invalidRequest(`Send "upload", "index" and "text" of up to ${UPLOAD.part} characters.`);
    if (index === 0) {
      [this.#name, this.#parts, this.#length] = [upload, [], 0];
    }
    if (upload !== this.#name || index !== this.#parts.length) notThere();
    if (this.#length + text.length > UPLOAD.most) {
      this.#parts = [];
      invalidRequest("The file of events has more than 64 MB. Record a shorter span, and choose that file.");
    }
    this.#parts.push(text);
    this.#length += text.length;
  }

  /** @throws INVALID_REQUEST */
  text(upload: string): string {
    return upload === this.#name && this.#parts.length > 0 ? this.#parts.join("") : notThere();
  }
}

function notThere(): never {
  return invalidRequest(
    "The uploaded file is not there any more: another upload has replaced it. Choose the file again.",
  );
}
