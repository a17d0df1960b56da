import type { Origin } from "../telemetry/types.ts";

/** A call for a person who approves it, as texts. */
export type ShownCall = {
  to: string;
  /** Where the called address is a proxy: the contract whose code it runs. */
  implementation?: string;
  contract?: string;
  function?: string;
  values: ReadonlyArray<{ name: string; text: string; isTokens?: true }>;
  ether?: string;
  data?: string;
};

/** Who has approved, by the name of a user of the editor, which is missing without a login. Unix milliseconds. */
export type Approval = { by?: string; at: number };

/** What a person has decided, about what that person was shown. */
export type Decision = { digest: string; isApproved: boolean; by: string | undefined };

/** `waits`: for more people. `signing`: the signature, or the service, takes its time. */
export type Decided = { outcome: "approved" | "declined" | "waits" | "signing"; left: number };

/** For the sidebar. */
export type DraftReport = Origin & {
  key: string;
  operationId: string;
  wallet: string;
  chainSelector: string;
  digest: string;
  /** Unix seconds; 0 for none. */
  deadline: number;
  /** Unix milliseconds. */
  madeAt: number;
  /** The key that the flow has set, such as the number of an invoice. */
  operationKey?: string;
  calls: readonly ShownCall[];
  /** Whether a person sees all of what is signed. */
  isWhole: boolean;
  needed: number;
  approvedBy: readonly string[];
  /** Whether a decision is being carried out. */
  isBusy: boolean;
  /** Whether nobody can decide here, since there is no login. */
  isOff: boolean;
};
