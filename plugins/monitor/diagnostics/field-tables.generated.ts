// The build writes this, from what is in the folders.
import { NODE as connection } from "../../../nodes/connection/fields.ts";
import { NODE as signer } from "../../../nodes/signer/fields.ts";
import { NODE as wallet } from "../../../nodes/wallet/fields.ts";
import { NODE as channel } from "../../../nodes/channel/fields.ts";
import { NODE as contract } from "../../../nodes/contract/fields.ts";
import { NODE as fleet } from "../../../nodes/fleet/fields.ts";
import { NODE as eventsIn } from "../../../nodes/events-in/fields.ts";
import { NODE as ack } from "../../../nodes/ack/fields.ts";
import { NODE as verifyEvent } from "../../../nodes/verify-event/fields.ts";
import { NODE as alert } from "../../../nodes/alert/fields.ts";
import { NODE as createWatcher } from "../../../nodes/create-watcher/fields.ts";
import { NODE as submitOperation } from "../../../nodes/submit-operation/fields.ts";
import { NODE as operation } from "../../../nodes/operation/fields.ts";
import { NODE as runQuery } from "../../../nodes/run-query/fields.ts";
import { NODE as searchEvents } from "../../../nodes/search-events/fields.ts";
import { NODE as manage } from "../../../nodes/manage/fields.ts";
import { NODE as account } from "../../../nodes/account/fields.ts";
import { NODE as api } from "../../../nodes/api/fields.ts";

export const NODES = [
  connection,
  signer,
  wallet,
  channel,
  contract,
  fleet,
  eventsIn,
  ack,
  verifyEvent,
  alert,
  createWatcher,
  submitOperation,
  operation,
  runQuery,
  searchEvents,
  manage,
  account,
  api,
] as const;
