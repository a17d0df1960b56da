/** How the account API reports a wrong key: by the status, in `errors` with a status of 200, or both. */
export const GRAPHQL_AUTH_MODES = ["status", "errors", "both"] as const;

/** What a tester chose under /local/graphql-auth. */
export type GraphqlAuth = { mode: (typeof GRAPHQL_AUTH_MODES)[number] };
