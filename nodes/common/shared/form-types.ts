import type { RsaPublicKey } from "../../../src/protocol/index.ts";
import type { Unit } from "./stored-values.ts";

/** One line of a list to pick from. */
export type Choice = {
  value: string;
  label: string;
  detail?: string;
  /** A note beside it, in words. Not part of the value. */
  note?: string;
  /** The network that it is on, where that matters. */
  chainSelector?: string;
  /** Of a wallet: its type. */
  walletType?: string;
};

/** A parameter as a form needs it. `components` are the parts of a tuple. */
export type ParameterChoice = {
  name: string;
  type: string;
  internalType?: string;
  components?: ParameterChoice[];
  /** Of an event. */
  indexed?: boolean;
  /** An amount of the contract's own token. */
  isAmount?: true;
};

/** A function as a form needs it: one input a parameter. */
export type FunctionChoice = {
  name: string;
  signature: string;
  inputs: ParameterChoice[];
  /** `view` and `pure` can be asked; the others can be sent, and `payable` ones be paid. */
  stateMutability: "pure" | "view" | "nonpayable" | "payable";
};

export type EventChoice = {
  name: string;
  signature: string;
  inputs: ParameterChoice[];
  /** Whether the signature is not a topic. */
  anonymous?: boolean;
  /** Whether the public service takes it is not known. */
  hasTuples?: true;
};

/** Why a form's question has no answer: a sentence, and a code that stays. */
export type Problem = { problem: string; code: string };
/** What every question of a form is answered with. */
export type Answer<T> = (T & { problem?: never }) | Problem;

/** What there is to pick from. */
export type Choices = {
  choices: Choice[];
  /** There are more than these: what is not among them may be there all the same. */
  cut?: true;
  /** What was to be asked is not deployed. */
  undeployed?: true;
};

/** One of several ABIs in a text, and its own text. */
export type AbiChoice = { name: string; functions: number; events: number; abi: string };

/** What an ABI offers, and sentences about what of it cannot be used; or why it cannot be read. */
export type AbiAnswer<T> =
  | { found: T[]; unusable?: string[]; problem?: never; choices?: never }
  | { found?: never; unusable?: never; problem: string; choices?: AbiChoice[] };

/** A typed-in value to be judged while it is typed. */
export type ValueCheck = {
  /** What the value is called in the sentence. */
  name?: string;
  type: string;
  components?: ParameterChoice[];
  value: string;
  /** Only what is typed in can be judged: `str`, `json`, `num`, `bool`. */
  valueType: string;
  unit?: Unit;
  decimals?: number;
  /** Bytes that cannot be given as text. */
  hexOnly?: boolean;
};

/** A value that fits. An integer of a contract with decimals is given in both units. */
export type Checked = {
  smallest?: string;
  tokens?: string;
  /** How many bytes were typed; `hex` is what text becomes. */
  bytes?: { count: number; hex?: string };
};

/** What a connection test found where the connection works. */
export type Tested = {
  networks: Array<{ name: string; type?: string; chainSelector: string }>;
  /** Whose key it is, empty where the account service does not say; absent where none was asked. */
  account?: string;
  /** What proofs are checked against, as far as the account service knows it. */
  organization?: { organizationId?: string; tenantId?: string };
  /** What does not work beside it: the account service. */
  warning?: { code: string; message: string };
  /** What was found about the settings that proofs are checked against. */
  checks: TestCheck[];
};

/** What `crec/contract/read` is asked. `id` is the node of an address or network that is a variable. */
export type ContractPlace = { id?: string; connection: string; chainSelector: string; address: string };

/** What the chain says of an address. */
export type OnChain = {
  /** Absent where it is not sure: a call was answered with nothing. */
  isContract?: boolean;
  decimals?: number;
  /** What `decimals()` returns where that is no number of decimals. */
  oddDecimals?: string;
  symbol?: string;
  /** The name of the network. */
  network: string;
  /** The channel in which the queries are. */
  channel: string;
};

/**
 * One line of a connection test. `text` is a key of the catalog of the connection, after `connection.check.`. The values
 * hold what the form itself says, as it says it, and what the service answered: never what a variable stands for.
 */
export type TestCheck = {
  state: "ok" | "problem" | "unchecked";
  text: string;
  values?: Record<string, string | number>;
};

/** What a variable in a field stands for. `undeployed`: it is not known before the field is deployed with it. */
export type ShownVariable = {
  name: string;
  state: "set" | "secret" | "unset" | "undeployed";
  value?: string;
  /** Of a secret, in characters. */
  length?: number;
};

/** By the names of the fields. */
export type ShownVariables = { variables: Record<string, ShownVariable> };

/** The workflow owner of an organization, empty while it is not known, and whether another one is given. */
export type Owner = { owner: string; differs: boolean };

/** The public part of a signer's key: the address of an ECDSA key, empty without a key, or an RSA key. */
export type SignerKey = { address: string; publicKey?: RsaPublicKey };

/** A key made for a form, which keeps it until it is deployed into the credentials. */
export type NewKey = SignerKey & { privateKey: string };

/** A test of a signer that has begun. */
export type SignerTestStarted = { test: string };

/** How far a test of a signer is. */
export type SignerTestReport =
  | {
      done: false;
      seconds: number;
      /** The key service's own word for what it waits for. */
      state?: string;
      isForPerson: boolean;
    }
  | {
      done: true;
      /** Whether the signature is right. */
      isRight: boolean;
      milliseconds: number;
      key: SignerKey;
      /** Why there is no signature. */
      failure?: string;
    };

/** What a form asks about its signer: whether wallets of the service name its key. */
export type WalletQuestion = { id: string; name: string; connection: string; wallet: string };

/** `unknown` has a sentence why. */
export type WalletAnswer = { id: string; state: "allowed" | "refused" | "unknown"; why?: string };

export type WalletAnswers = { wallets: WalletAnswer[] };

/** Where a consumer started, and what said so: after this offset, -1 before the first event. */
export type Started = {
  position?: "now" | "beginning" | { offset: number } | { time: number };
  after: number;
};

/** The state of an events-in node, for the panel in its form. Positions are offsets. */
export type PanelReport =
  | { deployed: false; fleet?: FleetReport }
  | {
      deployed: true;
      /** There when the cursor is shared by several copies. */
      fleet?: FleetReport;
      state: string;
      channelId: string;
      cursor?: number;
      /** The cursor is of this channel at another address of the service. */
      isMoved?: boolean;
      /** The newest offset known. */
      end?: number;
      behind?: number;
      delivered?: number;
      /** Handed over and not acknowledged yet. */
      inFlight?: number;
      /** Passed over for being too old. */
      skipped?: number;
      /** Passed over because the node's filter does not want them. */
      filtered?: number;
      /** Passed over because their confidence is too low; part of `filtered`. */
      lower?: number;
      /** Sent out of order, since they became visible late. */
      late?: number;
      /** Dropped because their proof failed. */
      dropped?: number;
      /** Rejected while nothing was wired to the second output. */
      givenUp?: number;
      /** Sent by the third output: kinds that never carry a proof. */
      notices?: number;
      /** Types of events that this version does not know. */
      unknownTypes?: string[];
      /** There when it found no place to go on from. */
      started?: Started;
      /** Why amounts of its events come in the smallest unit only. */
      units?: UnitsReport;
      /** How long its requests wait for their turn under the limit of requests, where that is long. */
      turnMs?: number;
      lastError?: string;
    };

/** How several copies of a flow share a channel, as this one sees it. */
export type FleetReport = {
  /** The engine. */
  label: string;
  /** What this copy is called. */
  copy: string;
  leaseMs: number;
  state: "reading" | "standby" | "share" | "unreachable" | "looking";
  /** Of the copy that reads. */
  epoch?: number;
  /** The copy that reads where it is another one, and when it was last heard of. */
  reader?: string;
  secondsAgo?: number;
  /** How many channels this copy may read, and how many there are. */
  share?: number;
  wanted?: number;
  /** Why the engine cannot be reached. */
  problem?: string;
};

/** Contract nodes that look like a token and have no decimals; and names of those that differ in them. */
export type UnitsReport = { noDecimals: Array<{ id: string; name: string }>; differing: string[] };

/** What *Send the last event* did. `why` is there where the event did not leave by the first output. */
export type SentLast =
  | { none: true }
  | {
      none?: never;
      offset: number;
      topic: string;
      output: "events" | "rejected" | "notices" | "dropped";
      why?: string;
    };

/** What became of a connection's stored key. */
export type KeyReport = {
  /** Nothing is sent with it until it is typed again. */
  needsConfirmation: boolean;
  /** The addresses it may go to, where that is known. */
  typedFor?: string[];
  /** Without a stored key: the environment variable that it comes from. */
  variable?: string;
};

/** Whether what a shared state has stored must be typed again before it is sent anywhere. */
export type SecretsReport = { needsConfirmation: boolean };

/** What a test of a shared state found where it works. */
export type FleetTested = {
  /** With its version. */
  engine: string;
  roundTripMs: number;
};
