import { fieldsOf, invalidRequest, textIn } from "../../../nodes/lib/admin/answer.ts";
import type { FlowNode } from "../../../rehearsal/shared/job.ts";
import type { AskedSpan, StartQuestion } from "../types.ts";

/**
 * What was posted, checked. Values of a span are checked where it is made of them.
 * @throws INVALID_REQUEST
 */
export function startQuestion(body: unknown): StartQuestion {
  const { flows, tabs, span, copyContext, askQueries, modules, seed = 1 } = fieldsOf(body);
  if (!Array.isArray(flows) || !flows.every(isNode))
    return invalidRequest('Send "flows": a list of nodes, each with the texts "id" and "type".');
  if (!Number.isSafeInteger(seed)) return invalidRequest('Send "seed" as a whole number.');
  return {
    flows,
    tabs: textsOf(tabs, "tabs"),
    span: spanIn(span),
    copyContext: copyContext === true,
    askQueries: askQueries === true,
    modules: textsOf(modules ?? [], "modules"),
    seed: seed as number,
  };
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
