import Type from "typebox";
import type { Context } from "../context.ts";
import type { Routes } from "./routes.ts";

const Health = Type.Object(
  { status: Type.String() },
  {
    title: "Health",
    description: "the service is up: `ok`, or `chain_not_followed` while it cannot read the chain",
  },
);

export function healthRoute(app: Routes, { following }: Context): void {
  app.get(
    "/health-check",
    {
      schema: {
        tags: ["health"],
        operationId: "checkHealth",
        summary: "Whether the service is up; needs no key",
        security: [],
        answers: { 200: Health },
      },
    },
    () => ({ status: following.problem === undefined ? "ok" : "chain_not_followed" }),
  );
}
