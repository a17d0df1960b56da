import Type from "typebox";
import { GRAPHQL_AUTH_MODES, type GraphqlAuth } from "../../injected-failures/index.ts";
import type { Routes } from "../routes.ts";
import { oneOf, STRICT } from "../schemas.ts";

/** Chooses how the account API reports a wrong key. */
export function graphqlAuthRoute(app: Routes, auth: GraphqlAuth): void {
  const Mode = Type.Object({ mode: oneOf(GRAPHQL_AUTH_MODES) }, { title: "GraphqlAuth", ...STRICT });
  app.post(
    "/graphql-auth",
    {
      schema: {
        tags: ["local"],
        operationId: "setGraphqlAuth",
        summary: "Chooses how the account API reports a wrong key: by status, in errors, or both",
        body: Mode,
        answers: { 200: Mode },
      },
    },
    (request) => {
      auth.mode = request.body.mode;
      return { mode: auth.mode };
    },
  );
}
