import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as library from "../../src/index.ts";
import { Lease } from "../../src/ownership/lease.ts";
import { readClocks, systemClock } from "../../src/timing/index.ts";
import { configOf, proofCases } from "../proofs/fixtures.ts";

// What functions are given so that a call is right, before one option of it is made wrong.

const ID = "0f8fad5b-d9cb-469f-a165-70867728950e";
const ADDRESS = `0x${"ab".repeat(20)}`;
const NETWORK = "16015286601757825753";
const KEY = `0x${"11".repeat(32)}` as const;
const DIGEST = `0x${"22".repeat(32)}` as const;
const URL = "http://127.0.0.1:1/v1";
const CALLS = [{ to: ADDRESS, value: "0", data: "0x" }];
const ABI = library.parseAbi(["event Moved(uint256 by)", "function move(uint256 by) returns (uint256)"]);
const signer = library.localEcdsaSigner(KEY);
const event = proofCases.find(({ expect }) => expect === "verified")?.event;
const IDENTITY = { consumer: "c", channelId: ID, service: URL };
const identified = { identity: IDENTITY, isInFlight: () => false, ack: () => false, refuse: () => false };
const operation = {
  ...{ operation_id: ID, status: "accepted", chain_selector: NETWORK, address: ADDRESS, deadline: 0 },
  ...{ wallet_operation_id: "1", transactions: CALLS, signature: null, created_at: 1, updated_at: 1 },
};
const state = {
  ...{ version: 1, cursor: 1, floor: 1, handedOut: 1, delivered: [], identity: IDENTITY },
};
const watcher = {
  name: "moves",
  chain_selector: NETWORK,
  address: ADDRESS,
  events: ["Moved"],
  abi: [ABI[0]],
};
const settings = {
  ...{ when: { kind: "each" }, quietMs: 0, recovers: false, slackMs: 1_000, confirmWithinMs: undefined },
  ...{ maxKeys: 10, maxMarks: 10 },
};
const alertStore = {
  ...{ read: async () => undefined, write: async () => true, keys: async () => [], close: async () => {} },
};

/** Of the stores that keep files. */
export const folder = mkdtempSync(join(tmpdir(), "crec-options-"));

/** How many requests were sent. Each fails at once. */
export const sent = { requests: 0 };

const dispatcher = {
  request: async () => {
    sent.requests += 1;
    throw new library.CrecError("NOT_SENT", "It is not sent.");
  },
};

/** By the name of a type, or of a member whose type does not say enough. */
export const SAMPLES: Readonly<Record<string, unknown>> = {
  ...{
    channelId: ID,
    watcherId: ID,
    walletId: ID,
    operationId: ID,
    queryId: ID,
    eventId: ID,
    operation_id: ID,
  },
  ...{ chain_selector: NETWORK, chainSelector: NETWORK, address: ADDRESS, wallet_owner_address: ADDRESS },
  ...{
    contract_address: ADDRESS,
    call_data: "0x",
    wallet_type: "ecdsa",
    id: "1",
    chainId: "31337",
    deadline: 0,
  },
  ...{ path: "value", at: 1_000, decimals: 6, type: "uint256", text: "1.5", limit: 10, attempt: 1, epoch: 1 },
  ...{ baseUrl: URL, graphqlUrl: URL, url: URL, apiKey: "a-secret-key", revision: 0, most: 10, data: "0x" },
  ...{ keyId: "alias/key", digest: DIGEST, keyVersion: 1, abi: [ABI[0]], function: "move" },
  ...{ privateKey: KEY, method: "GET", integer: "15", wallet_operation_id: "1", lifecycle: { text: [] } },
  ...{ Abi: ABI, AbiParameter: { name: "by", type: "uint256" }, EventFragment: ABI[0], Signer: signer },
  ...{
    EventEnvelope: event,
    ChannelEvent: event,
    Event: event,
    VerifyConfig: configOf(),
    Operation: operation,
  },
  ...{ CursorState: state, AlertSettings: settings, HttpDispatcher: dispatcher, AlertStore: alertStore },
  ...{
    OperationInput: { id: "1", account: ADDRESS, deadline: 0, transactions: CALLS },
    AckReceiver: identified,
  },
  ...{ BlockSelection: { type: "latest" }, SumLimit: { field: "params.value", limit: "10" } },
  ...{ Condition: { field: "name", is: "equals", value: "Moved" }, SeenEntry: ["key", "delivery"] },
  ...{
    FireblocksSource: { vaultAccountId: "0", assetId: "ETH" },
    VaultLogin: { method: "token", token: "t" },
  },
  ...{ TransactionInput: CALLS[0], transactions: CALLS, target: "confirmed", Lease: lease(), timeoutMs: 50 },
  ...{ CreateWatcher: watcher, scope: "scope", StartPosition: "now", port: 6379, args: ["1"] },
};

const rsaKey = () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

/** By the name of a function, where that is not enough. */
export const ARGUMENTS: Readonly<Record<string, () => unknown[]>> = {
  checksumAddress: () => [ADDRESS, "value"],
  copyCursorFile: () => [file("no such cursor"), file("no cursor")],
  "Events.search": () => [ID, { type: ["operation.status"] }, {}],
  encodeFunctionCall: () => [{ abi: ABI, function: "move", args: ["1"] }],
  encodeValue: () => ["uint256", "1", "value"],
  eventFragments: () => [ABI, ["Moved"]],
  formatTokenAmounts: () => ["15", [{ name: "by", type: "uint256" }], 6],
  fromSmallestUnit: () => ["15", 6],
  listAbis: () => ["event Moved(uint256 by)"],
  localRsaSigner: () => [rsaKey().export({ type: "pkcs8", format: "pem" })],
  openSharedState: () => ["redis://127.0.0.1:1"],
  parseAbi: () => ["event Moved(uint256 by)"],
  parseFieldPath: () => ["params.value", "field"],
  parseTokenAmounts: () => ["1.5", "uint256", 6, "value"],
  privySigner: () => [{ url: URL, appId: "app", appSecret: "secret", walletId: "wallet" }],
  readAbi: () => ["event Moved(uint256 by)"],
  readField: () => [{}, ["a"]],
  recoverReportSigners: () => [event?.headers.proofs[0]],
  recoverSigner: () => [DIGEST, signedDigest],
  canonicalSignature: () => [signedDigest],
  awsKmsSigner: () => [
    {
      keyId: "alias/key",
      region: "eu-central-1",
      endpoint: URL,
      credentials: { accessKeyId: "AKIA", secretAccessKey: "s" },
    },
  ],
  fireblocksSigner: () => [
    {
      ...{ url: URL, apiKey: "user", source: { vaultAccountId: "0", assetId: "ETH" } },
      privateKey: rsaKey().export({ type: "pkcs8", format: "pem" }),
    },
  ],
  remoteSigner: () => [{ url: URL, protocol: "json-rpc", address: ADDRESS }],
  vaultSigner: () => [
    { url: "http://127.0.0.1:1", key: "key", keyVersion: 1, login: { method: "token", token: "t" } },
  ],
  "Wallets.waitFor": () => [ID, { target: "deployed" }],
  "Watchers.waitFor": () => [ID, ID, { target: "active" }],
  "HighestConfidence.learn": () => [[event], new AbortController().signal],
  "Lease.end": () => [new library.CrecError("CONSUMER_MOVED", "It is over.")],
  distinctEvents: () => [client.events.search(ID)],
  "Queries.call": () => [
    ID,
    { chain_selector: NETWORK, address: ADDRESS, abi: ABI, function: "move", args: ["1"] },
  ],
  "Operations.follow": () => [ID, ID, { signal: AbortSignal.abort() }],
  "Operations.followUntil": () => [ID, operation, { target: "confirmed", signal: AbortSignal.abort() }],
  decodeFunctionResult: () => [{ abi: ABI, function: "move", data: `0x${"00".repeat(32)}` }],
  decodeFunctionCall: () => [{ abi: ABI, data: `0x${"00".repeat(36)}` }],
  decodeValues: () => [[{ name: "by", type: "uint256" }], `0x${"00".repeat(32)}`],
  eventSource: () => [client.events, ID],
  joinChannel: () => [client.events, ID],
  "CrecClient.request": () => [{ method: "GET", path: "/channels" }],
};

const signedDigest = await signer.sign({ digest: DIGEST });
const client = new library.CrecClient({ baseUrl: URL, graphqlUrl: URL, apiKey: "a-secret-key", dispatcher });
const shared = new library.MemorySharedState();
const file = (name: string) => join(folder, name);
const cursorStore = new library.MemoryCursorStore();
const source = library.eventSource(client.events, ID);
const rule = () => library.createAlertRule({ id: "rule", store: new library.MemoryAlertStore() });

/** What the methods of a class, or of a type that functions return, are called on. */
export const OBJECTS: Readonly<Record<string, () => object | Promise<object>>> = {
  Account: () => client.account,
  AlertRule: () =>
    new library.AlertRule({
      id: "id",
      settings: settings as library.AlertSettings,
      store: new library.MemoryAlertStore(),
    }),
  Channels: () => client.channels,
  ChannelReader: () => library.joinChannel(client.events, ID),
  CrecClient: () => client,
  EventAlertRule: rule,
  EventConsumer: () =>
    new library.EventConsumer({
      source,
      store: cursorStore,
      identity: IDENTITY,
      start: "now",
      deliver: () => {},
    }),
  Events: () => client.events,
  FileAlertStore: () => new library.FileAlertStore({ path: file("alerts") }),
  FileCursorStore: () => new library.FileCursorStore({ path: file("cursor") }),
  FileDedupeStore: () => new library.FileDedupeStore({ path: file("keys") }),
  HighestConfidence: () => new library.HighestConfidence(library.levelSource(client, ID)),
  Lease: lease,
  LeaseKeeper: () => new library.LeaseKeeper({ shared, copy: { id: "1", name: "a" } }),
  LocalSigner: () => signer,
  MemoryAlertStore: () => new library.MemoryAlertStore(),
  MemoryCursorStore: () => cursorStore,
  MemorySharedState: () => new library.MemorySharedState(),
  Networks: () => client.networks,
  Operations: () => client.operations,
  Queries: () => client.queries,
  ReadBackoff: () => new library.ReadBackoff(),
  SeenKeys: () => new library.SeenKeys(10),
  SharedAlertStore: () => new library.SharedAlertStore({ shared, scope: "scope", ttlMs: 1_000 }),
  SharedCursorStore: () => new library.SharedCursorStore({ shared, lease: lease() }),
  SharedState: () => library.openSharedState("redis://127.0.0.1:1"),
  Verifier: () => library.createVerifier(configOf()),
  Wallets: () => client.wallets,
  Watchers: () => client.watchers,
};

function lease(): Lease {
  const clock = { ...systemClock, sleep: () => new Promise<void>(() => {}) };
  return new Lease({
    ...{ key: "k", taken: { epoch: 1, state: undefined }, leaseMs: 1_000_000, label: "memory" },
    ...{ clock, since: readClocks(clock), renew: async () => {} },
  });
}
