import type { Check } from "../check-context.ts";
import { alertDeleted, alertEnd, alertKeys, alertSums } from "./alerts.ts";
import { apiKey, serviceUnreachable, settingsIncomplete, signerSet } from "./connections.ts";
import { contractMissing, exampleAddress } from "./contracts.ts";
import { eventContradicts, watcherAbi } from "./contradictions.ts";
import { flowCompletion } from "./flow-completion.ts";
import { ackUnreachable, rejectedUnwired, textComparison, unverifiedAction } from "./flows.ts";
import { evictionUnknown, stateLost } from "./kept-state.ts";
import { executedAfterAll, walletState } from "./operations.ts";
import { consumerShared, readerStands, readerStopped } from "./readers.ts";
import { acceptedWatcher, eventUnwatched, watcherState } from "./watchers.ts";

/** All checks, in the order in which their issues are listed. */
export const CHECKS: readonly Check[] = [
  serviceUnreachable,
  apiKey,
  settingsIncomplete,
  readerStopped,
  readerStands,
  consumerShared,
  stateLost,
  evictionUnknown,
  signerSet,
  eventContradicts,
  executedAfterAll,
  alertEnd,
  alertDeleted,
  alertKeys,
  alertSums,
  watcherAbi,
  acceptedWatcher,
  watcherState,
  eventUnwatched,
  ackUnreachable,
  flowCompletion,
  rejectedUnwired,
  unverifiedAction,
  walletState,
  contractMissing,
  exampleAddress,
  textComparison,
];
