/**
 * Sentences for the error codes of the service: what happened, and what to do next.
 * The message of the service follows them with the details.
 */
export const REFUSALS: Readonly<Record<string, string>> = {
  CHANNEL_NOT_FOUND:
    "There is no such channel, or it is archived and takes nothing new. Check its id, and that the API key belongs to its organization.",
  WALLET_NOT_FOUND:
    "There is no such wallet. Check its id or address, its network, and that the API key belongs to its organization.",
  OPERATION_NOT_FOUND: "There is no such operation on this channel. Check both ids.",
  WATCHER_NOT_FOUND: "There is no such watcher on this channel. Check both ids.",
  QUERY_NOT_FOUND: "There is no such query on this channel. Check both ids.",
  EVENT_NOT_FOUND: "There is no such event on this channel. Check both ids.",
  FORBIDDEN:
    "The API key does not have the permission for this call, or what it asks for belongs to another organization. Use a key that has it.",
  NOT_FOUND: "The service has nothing at this address. Check the ids, and the base URL of the connection.",
  CHANNEL_ALREADY_EXISTS:
    "A channel with this name exists already, perhaps archived. Use it, or choose another name.",
  WALLET_ALREADY_EXISTS:
    "A wallet with this name exists already, perhaps archived. Use it, or choose another name.",
  WATCHER_ALREADY_EXISTS:
    "A watcher with this name exists already on this channel. Use it, or choose another name.",
  OPERATION_ALREADY_EXISTS:
    "This wallet already has an operation with this id. Use another wallet operation id.",
  IDEMPOTENCY_KEY_MISMATCH: "This idempotency key was used for another query. Use a new key for a new query.",
  OPERATION_NOT_FINALIZABLE:
    "Only a draft of an active channel can be finalized. Check the status of the operation, and of its channel.",
  OPERATION_NOT_CANCELLABLE:
    "Only a draft can be cancelled, and this operation is not a draft any more. Check its status.",
  OPERATION_DEADLINE_ELAPSED:
    "The operation's deadline is too near or has passed. Send it again with a later deadline, and check the clock of this machine.",
  RESOURCE_VERSION_CONFLICT:
    "This was changed by another request at the same time. Read it again, then repeat the change.",
  WALLET_ALREADY_ARCHIVED: "The wallet is archived and accepts nothing new. Use another wallet.",
  CHAIN_UNAVAILABLE:
    "The service does not have this network, or cannot reach it now. Check the network, else try again later.",
  CONFLICT: "The request conflicts with the current state. Read the current state, then decide.",
  VALIDATION_ERROR: "The service refused the values of the request. Correct those it names.",
};
