import type { Check } from "../check.ts";
import { acceptedWatcher } from "./accepted-watcher.ts";
import { ackUnreachable } from "./ack-unreachable.ts";
import { alertDeleted } from "./alert-deleted.ts";
import { alertEnd } from "./alert-end.ts";
import { alertKeys } from "./alert-keys.ts";
import { alertSums } from "./alert-sums.ts";
import { apiKey } from "./api-key.ts";
import { consumerShared } from "./consumer-shared.ts";
import { contractMissing } from "./contract-missing.ts";
import { eventContradicts } from "./event-contradicts.ts";
import { eventUnwatched } from "./event-unwatched.ts";
import { evictionUnknown } from "./eviction-unknown.ts";
import { exampleAddress } from "./example-address.ts";
import { executedAfterAll } from "./executed-after-all.ts";
import { flowCompletion } from "./flow-completion.ts";
import { readerStands } from "./reader-stands.ts";
import { readerStopped } from "./reader-stopped.ts";
import { rejectedUnwired } from "./rejected-unwired.ts";
import { serviceUnreachable } from "./service-unreachable.ts";
import { settingsIncomplete } from "./settings-incomplete.ts";
import { signerSet } from "./signer-set.ts";
import { stateLost } from "./state-lost.ts";
import { textComparison } from "./text-comparison.ts";
import { unverifiedAction } from "./unverified-action.ts";
import { walletState } from "./wallet-state.ts";
import { watcherAbi } from "./watcher-abi.ts";
import { watcherState } from "./watcher-state.ts";

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
