export { Account, type AccountDetails, type GraphqlOptions, type Organization } from "./account.ts";
export { Channels, type CreateChannel, type ListChannels, type UpdateChannel } from "./channels.ts";
export { type ClientAnswer, type ClientCall, CrecClient, type CrecClientOptions } from "./client.ts";
export { Events, type PollEvents, type PollOptions } from "./events.ts";
export { type GraphqlAnswer, GraphqlError, type GraphqlProblem } from "./graphql.ts";
export { Networks } from "./networks.ts";
export type { ChangeOptions } from "./operation-change.ts";
export type { Submitted } from "./operation-find.ts";
export type { FollowOptions, OperationChange } from "./operation-follow.ts";
export { type CallDifference, OperationKeyReusedError, type ReusedKey } from "./operation-key-reused.ts";
export type { FollowUntilOptions, ReachedOperation } from "./operation-reach.ts";
export { type NewOperation, operationInput, requestedOperation } from "./operation-request.ts";
export type { OperationWaitOptions } from "./operation-wait.ts";
export {
  type FinalizeOptions,
  type ListOperations,
  Operations,
} from "./operations.ts";
export type { Listing } from "./pages.ts";
export type { PollInterval, PollingOptions } from "./polling.ts";
export { type ListQueries, Queries } from "./queries.ts";
export type { FunctionAnswer, FunctionQuery, FunctionQueryOptions } from "./query-call.ts";
export type { CreatedQuery, CreateQuery } from "./query-request.ts";
export {
  type QueryAnswer,
  QueryNotVerifiedError,
  type QueryResumeOptions,
  type QueryRunOptions,
  type QueryWaitOptions,
} from "./query-run.ts";
export type { NamedOperation } from "./search-by-id.ts";
export type { SearchEvents } from "./search-filter.ts";
export type { WaitOptions } from "./wait.ts";
export { WaitError } from "./wait-error.ts";
export type { CreateWallet } from "./wallet-request.ts";
export { type ListWallets, type UpdateWallet, Wallets } from "./wallets.ts";
export type { CreateWatcher } from "./watcher-request.ts";
export { type ListWatchers, Watchers } from "./watchers.ts";
