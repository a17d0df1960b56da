/**
 * Sentences for the refusals the service names by a code: what happened, and what to do next.
 * The service's own message follows them, since it knows the details.
 */
export const REFUSALS: Readonly<Record<string, string>> = {
  CHANNEL_NOT_FOUND: "There is no such channel. Check its id, and that the API key is of its organization.",
  WALLET_NOT_FOUND: "There is no such wallet. Check its id or address, and its network.",
  OPERATION_NOT_FOUND: "There is no such operation on this channel. Check both ids.",
  WATCHER_NOT_FOUND: "There is no such watcher on this channel. Check both ids.",
  QUERY_NOT_FOUND: "There is no such query on this channel. Check both ids.",
  EVENT_NOT_FOUND: "There is no such event on this channel. Check both ids.",
  NOT_FOUND: "The service knows nothing at this place. Check the ids, and the base URL of the connection.",
  CHANNEL_ALREADY_EXISTS:
    "A channel of this name exists already, perhaps archived. Use it, or choose another name.",
  WALLET_ALREADY_EXISTS:
    "A wallet of this name exists already, perhaps archived. Use it, or choose another name.",
  WATCHER_ALREADY_EXISTS:
    "A watcher of this name exists already on this channel. Use it, or choose another name.",
  OPERATION_ALREADY_EXISTS:
    "This wallet already has an operation of this id. Use another wallet operation id.",
  IDEMPOTENCY_KEY_MISMATCH: "This idempotency key was used for another query. Use a new key for a new query.",
  OPERATION_NOT_FINALIZABLE:
    "Only a draft can be finalized, and this operation is none any more. Look at its status.",
  OPERATION_NOT_CANCELLABLE:
    "Only a draft can be cancelled, and this operation is none any more. Look at its status.",
  OPERATION_DEADLINE_ELAPSED:
    "The operation's deadline is too near or has passed. Send it again with a later deadline.",
  RESOURCE_VERSION_CONFLICT:
    "Somebody changed this at the same moment. Read it again, then repeat the change.",
  WALLET_ALREADY_ARCHIVED: "The wallet is archived and takes nothing new. Use another wallet.",
  CHAIN_UNAVAILABLE:
    "The service does not have this network, or cannot reach it now. Check the network, else try again later.",
  CONFLICT: "The service refused this because of what is there already. Read the current state, then decide.",
  VALIDATION_ERROR: "The service refused the values of the request. Correct what it names.",
};
