/** What crosses between a form in the browser and the run time: stored settings, and answers to the form. */

/** A value in a form: text, and where to look it up. */
export type Value = { value?: string; type?: string };

/** A function of a contract, with one value a parameter, as a form stores it. */
export type ContractCall = {
  contract?: string;
  /** The function's signature, so that overloads differ. */
  function?: string;
  args?: Value[];
};

/** One call of an operation, as the form stores it. */
export type CallDef =
  | (ContractCall & { kind: "contract"; amount?: Value })
  | { kind: "raw"; to?: Value; data?: Value; amount?: Value };

/** One line of a list to pick from. */
export type Choice = { value: string; label: string; detail?: string };

/** A function as a form needs it: one input a parameter. */
export type FunctionChoice = {
  name: string;
  signature: string;
  inputs: Array<{ name: string; type: string }>;
  /** `view` and `pure` can be asked; the others can be sent. */
  stateMutability: string;
};

/** What a connection test found. */
export type TestAnswer =
  | { ok: true; networks: Array<{ name: string; chainSelector: string }> }
  | { ok: false; code: string; message: string };

/** A key made for a form, which keeps it until it is deployed into the credentials. */
export type NewKey = { privateKey: string; address: string };

/** How an events-in node stands, for the panel in its form. Offsets. */
export type PanelReport =
  | { deployed: false }
  | {
      deployed: true;
      state: string;
      channelId: string;
      cursor?: number;
      /** The newest offset known. */
      end?: number;
      behind?: number;
      delivered?: number;
      /** Handed over and not acknowledged yet. */
      inFlight?: number;
      /** Passed over for being too old. */
      skipped?: number;
      /** Dropped because their proof failed. */
      dropped?: number;
      lastError?: string;
    };
