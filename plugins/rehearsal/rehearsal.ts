import type { NodeAPI } from "node-red";
import { answerForms, type Question, textIn } from "../../nodes/common/admin/answer.ts";
import { nodeRedContext } from "../../nodes/common/context.ts";
import { processWide } from "../../nodes/common/process-wide.ts";
import { KeptRehearsals } from "./run/kept.ts";
import { startQuestion, Uploads } from "./run/question.ts";

/** The editors' APIs that have its endpoints. */
const registered = processWide("rehearsal-endpoints", () => new WeakSet<object>());

/** Posted flows are run: who may not change flows may not rehearse them. */
const PERMISSION = "flows.write";

/**
 * The rehearsal of flows over past events: one at a time, for all editors. The library and all that runs a rehearsal are
 * loaded when the first one starts.
 *
 * As the monitor, it keeps its endpoints where Node-RED loads it again.
 */
export default function register(RED: NodeAPI): void {
  if (registered.has(RED.httpAdmin)) return;
  registered.add(RED.httpAdmin);
  const nodeRed = nodeRedContext(RED);
  const uploads = new Uploads();
  const kept = new KeptRehearsals(RED.log, async (question, signal, again) => {
    const { start } = await import("./run/start.ts");
    return start({ ...nodeRed, uploads, signal, again }, question);
  });
  const numberIn = ({ query }: Question) => Number(textIn(query.number));

  answerForms(RED, "post", "/crec/rehearsal/start", PERMISSION, ({ body }) =>
    kept.begin(startQuestion(body)),
  );
  answerForms(RED, "post", "/crec/rehearsal/upload", PERMISSION, ({ body }) => {
    uploads.add(body);
    return {};
  });
  answerForms(RED, "post", "/crec/rehearsal/cancel", PERMISSION, () => {
    kept.cancel();
    return {};
  });
  answerForms(RED, "get", "/crec/rehearsal/progress", PERMISSION, () => kept.state);
  answerForms(RED, "get", "/crec/rehearsal/report", PERMISSION, async (question) => {
    const { shownReport } = await import("./run/shown.ts");
    return shownReport(kept.report(numberIn(question)));
  });
  answerForms(RED, "get", "/crec/rehearsal/message", PERMISSION, async (question) => {
    const { messageOf } = await import("./run/shown.ts");
    return messageOf(kept.report(numberIn(question)), Number(textIn(question.query.outcome)));
  });
  answerForms(RED, "get", "/crec/rehearsal/differences", PERMISSION, async (question) => {
    const { shownDifferences } = await import("./run/shown.ts");
    const number = numberIn(question);
    return shownDifferences(kept.before(number), kept.report(number));
  });
  answerForms(RED, "get", "/crec/rehearsal/file", PERMISSION, async (question) => {
    const { savedFile } = await import("./run/shown.ts");
    return savedFile(kept.report(numberIn(question)), textIn(question.query.kind));
  });
}
