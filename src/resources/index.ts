export { Account, type AccountDetails, type GraphqlOptions, type Organization } from "./account.ts";
export { Channels, type CreateChannel, type ListChannels, type UpdateChannel } from "./channels.ts";
export { type ClientAnswer, type ClientCall, CrecClient, type CrecClientOptions } from "./client.ts";
export { Events, type PollEvents, type PollOptions } from "./events.ts";
export type { ListOperations } from "./lists/operation-list.ts";
export type { Listing } from "./lists/pages.ts";
export { Networks } from "./networks.ts";
export { type FinalizeOptions, Operations } from "./operations.ts";
export { type ListQueries, Queries } from "./queries.ts";
export { type GraphqlAnswer, GraphqlError, type GraphqlProblem } from "./requests/graphql.ts";
export type { Submitted } from "./requests/operation-find.ts";
export {
  type CallDifference,
  OperationKeyReusedError,
  type ReusedKey,
} from "./requests/operation-find.ts";
export { type NewOperation, operationInput, requestedOperation } from "./requests/operation-request.ts";
export type { CreatedQuery, CreateQuery } from "./requests/query-request.ts";
export type { NamedOperation, SearchEvents } from "./requests/search-filter.ts";
export type { CreateWallet } from "./requests/wallet-request.ts";
export type { CreateWatcher } from "./requests/watcher-request.ts";
export type { ChangeOptions } from "./waits/operation-change.ts";
export type { FollowOptions, OperationChange } from "./waits/operation-follow.ts";
export type { FollowUntilOptions, OperationWaitOptions, ReachedOperation } from "./waits/operation-reach.ts";
export type { PollInterval, PollingOptions } from "./waits/polling.ts";
export type { FunctionAnswer, FunctionQuery, FunctionQueryOptions } from "./waits/query-run.ts";
export {
  type QueryAnswer,
  QueryNotVerifiedError,
  type QueryResumeOptions,
  type QueryRunOptions,
  type QueryWaitOptions,
} from "./waits/query-run.ts";
export type { WaitOptions } from "./waits/wait.ts";
export { WaitError } from "./waits/wait.ts";
export { type ListWallets, type UpdateWallet, Wallets } from "./wallets.ts";
export { type ListWatchers, Watchers } from "./watchers.ts";
