import type { NodeAPI } from "node-red";
import { answerForms } from "../../../nodes/common/admin/answer.ts";
import { sharedAnswers } from "../../../nodes/common/admin/shared-answers.ts";
import type { IssueList } from "../issues/issue-list.ts";
import { type Refreshed, refreshResources } from "./refresh.ts";

/** Asks the service for watchers and wallets when a person wants it. */
export function registerRefresh(RED: NodeAPI, issues: IssueList): void {
  const shared = sharedAnswers<Refreshed>(RED, ({ problems }) => problems.length === 0);
  answerForms(RED, "post", "/crec/monitor/refresh", "crec.read", () =>
    shared("all", async () => {
      const refreshed = await refreshResources(RED);
      await issues.check();
      return refreshed;
    }),
  );
}
