import Type from "typebox";
import type { Routes } from "./routes.ts";

const Health = Type.Object({ status: Type.String() }, { title: "Health", description: "the service is up" });

export function healthRoute(app: Routes): void {
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
    () => ({ status: "ok" }),
  );
}
