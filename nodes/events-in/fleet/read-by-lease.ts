import type { NodeAPI } from "node-red";
import type { Lease, LeaseState } from "../../../src/index.ts";
import type { FleetRef } from "../../common/fleet/fleet.ts";
import { leaseKey, noteLease } from "../../common/fleet/held-leases.ts";
import { type Fleet, joinFleet } from "../../common/fleet/join-fleet.ts";
import { nodeError } from "../../common/shared/errors.ts";
import type { FleetReport } from "../../common/shared/form-types.ts";
import type { ConsumerMemory } from "../consumer-memory.ts";
import type { ShownLease } from "./lease-status.ts";
import { moveLost, publishTo } from "./lost-cursor.ts";

type LeaseReadingOptions = {
  ref: FleetRef;
  consumer: string;
  channelId: string;
  memory: ConsumerMemory;
  /** Called when this copy has the lease, and again when it has it again. May not throw. */
  open: (lease: Lease, fleet: Fleet) => Promise<void>;
  /** Called once after each `open`; the lease is given back after that. May not throw. */
  close: () => Promise<void>;
  onState: (state: LeaseState) => void;
};

/** Reads a channel together with other copies: one of them at a time. */
export type LeaseReading = ShownLease & {
  report(): FleetReport;
  /** Moves the cursor of the copy that reads, if it waits for that since it was lost. Tells whether it does. */
  moveLost(to: unknown): Promise<boolean>;
  /** Closes what is open and gives the lease back. Never rejects. */
  leave(): Promise<void>;
};

/** @throws what opening the shared state throws: its settings are wrong */
export async function readByLease(RED: NodeAPI, options: LeaseReadingOptions): Promise<LeaseReading> {
  const { consumer, channelId, memory, open, close, onState } = options;
  const { fleet, leave } = await joinFleet(RED, options.ref);
  const key = leaseKey(consumer, channelId);
  let forget = () => {};
  const publish = publishTo(fleet, { key, memory });
  fleet.wanted += 1;
  const wanted = fleet.keeper().want(key, {
    open: (lease) => {
      forget = noteLease(key, lease);
      return open(lease, fleet);
    },
    close: async () => {
      forget();
      await close();
    },
    onState: (state) => {
      publish(state);
      onState(state);
    },
  });
  return {
    state: () => wanted.state,
    wanted: () => fleet.wanted,
    report: () => reportOf(fleet, wanted.state),
    moveLost: async (to) => wanted.state.kind === "elsewhere" && moveLost(fleet.shared, key, to),
    leave: async () => {
      await wanted.leave();
      publish();
      await memory.flush();
      fleet.wanted -= 1;
      await leave();
    },
  };
}

function reportOf({ copy, leaseMs, shared, wanted }: Fleet, state: LeaseState): FleetReport {
  const common = { label: shared.label, copy: copy.name, leaseMs };
  switch (state.kind) {
    case "held":
      return { ...common, state: "reading", epoch: state.lease.epoch };
    case "elsewhere": {
      const { copy: reader, epoch, renewedMsAgo } = state.holder;
      const secondsAgo = Math.round(renewedMsAgo / 1000);
      return { ...common, state: "standby", reader: reader.name, epoch, secondsAgo };
    }
    case "waiting_for_share":
      return { ...common, state: "share", share: state.share, wanted };
    case "error":
      return { ...common, state: "unreachable", problem: state.error.message };
    default:
      return { ...common, state: "looking" };
  }
}

/**
 * What only the copy that reads can do: the others have no cursor.
 * @throws READ_BY_ANOTHER_COPY
 */
export function refuseOnStandby({ leaseReading }: { leaseReading?: Pick<LeaseReading, "state"> }): void {
  const state = leaseReading?.state();
  if (state?.kind !== "elsewhere" && state?.kind !== "waiting_for_share") return;
  const where = state.kind === "elsewhere" ? `the copy "${state.holder.copy.name}"` : "another copy";
  throw nodeError(
    "READ_BY_ANOTHER_COPY",
    `This channel is read by ${where}, and this copy stands by. Do it in the editor of that copy, or send the command there.`,
  );
}
