import type { NodeAPI } from "node-red";
import { answerForms } from "../../../nodes/lib/admin/answer.ts";
import type { IssueList } from "../issues/issue-list.ts";
import { type Refreshed, refreshResources } from "./refresh.ts";

/** Asks the service for watchers and wallets when a person wants it. A second request joins one that is under way. */
export function registerRefresh(RED: NodeAPI, issues: IssueList): void {
  let underWay: Promise<Refreshed> | undefined;
  const refresh = async (): Promise<Refreshed> => {
    const refreshed = await refreshResources(RED);
    await issues.check();
    return refreshed;
  };
  answerForms(RED, "post", "/crec/monitor/refresh", "crec.read", () => {
    underWay ??= refresh().finally(() => {
      underWay = undefined;
    });
    return underWay;
  });
}
