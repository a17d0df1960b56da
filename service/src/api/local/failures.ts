import Type from "typebox";
import { FAILURE_KINDS, type Failures } from "../../injected-failures/lists.ts";
import type { Routes } from "../routes.ts";
import { oneOf, STRICT, times } from "../schemas.ts";
import { countedListRoutes } from "./counted-list.ts";

export const FailureAnswer = Type.Object(
  {
    kind: oneOf(FAILURE_KINDS),
    times: times("it applies to"),
    reason: Type.String({ minLength: 1, default: "a failure was asked for", description: "a text" }),
  },
  { title: "Failure", description: "an object of kind, times and reason", ...STRICT },
);

export function failureRoutes(app: Routes, failures: Failures): void {
  countedListRoutes(app, {
    name: "failures",
    title: "FailureList",
    item: FailureAnswer,
    list: failures,
    add: {
      operationId: "addFailure",
      summary: "Makes the next deployments, watchers, archivings, operations or queries fail",
    },
    clear: { operationId: "clearFailures", summary: "Clears all failures" },
  });
}
