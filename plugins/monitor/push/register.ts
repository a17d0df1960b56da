import type { NodeAPI } from "node-red";
import { answerForms, fieldsOf, textIn } from "../../../nodes/common/admin/answer.ts";
import { activity } from "../../../nodes/common/telemetry/activity.ts";
import type { IssueList } from "../issues/issue-list.ts";
import type { OpenAnswer } from "../types.ts";
import { allSections } from "./all-sections.ts";
import { Pusher, RENEW_MS } from "./pusher.ts";
import { Tickets } from "./tickets.ts";
import { TOPICS } from "./topics.ts";

/**
 * A message that a browser sent over the editor's web socket. Its data are not checked yet: an error that they cause
 * in a listener ends Node-RED.
 */
type FromBrowser = { session: string; data: unknown };

/**
 * Pushes what has changed to the sidebars that are open, over the editor's own web socket. That checks no permission of
 * ours: a sidebar asks for a ticket by a request, which needs `crec.read`, and asks again each minute.
 */
export function registerPush(RED: NodeAPI, issues: IssueList): void {
  const now = () => performance.now();
  const tickets = new Tickets(now);
  const pusher = new Pusher({
    sections: () => allSections(activity, issues),
    send: (session, update) =>
      RED.events.emit("comms", { topic: TOPICS.update, data: update, retain: false, session }),
    onProblem: (section, error) =>
      RED.log.error(`The sidebar "CRE Connect" cannot show its ${section}: ${String(error)}`),
    now,
  });

  answerForms(RED, "post", "/crec/monitor/open", "crec.read", (): OpenAnswer => {
    return { ticket: tickets.issue(), renewMs: RENEW_MS };
  });
  RED.events.on(`comms:message:${TOPICS.open}`, ({ session, data }: FromBrowser) => {
    if (tickets.redeem(textIn(fieldsOf(data).ticket))) pusher.open(session);
  });
  RED.events.on(`comms:message:${TOPICS.seen}`, ({ session, data }: FromBrowser) => {
    pusher.acknowledge(session, Number(textIn(fieldsOf(data).number)));
  });
  RED.events.on(`comms:message:${TOPICS.close}`, ({ session }: FromBrowser) => pusher.close(session));
  RED.comms.publish(TOPICS.connected, true, true);
  RED.events.on("comms:connection-removed", ({ session }: { session: string }) => pusher.close(session));
}
