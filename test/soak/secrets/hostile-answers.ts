import { FireblocksServer } from "../../support/fireblocks.ts";
import type { KeyServiceUnderTest } from "../../support/key-services.ts";
import { PrivyServer } from "../../support/privy.ts";
import type { Answer, Asked } from "../../support/stand-in.ts";
import type { Form } from "./forms.ts";

/** As those of a key service, with characters that others escape. */
export const CANARIES = {
  fireblocksApiKey: "canary-Fireblocks/api+key=0123&<456>",
  privyAppSecret: "canary_Privy/app+secret=0123&<456>",
} as const;

/** Where a hostile key service writes something into its answer. `isKey`: already when it is asked for the key. */
type Place = { name: string; isKey?: boolean; answer: (text: string) => Answer };

const said = (status: number) => (text: string) => ({ status, body: { message: text, code: text } });
const COMMON: readonly Place[] = [
  ...[400, 401, 403, 404, 500].map((status) => ({ name: `message, ${status}`, answer: said(status) })),
  ...[401, 404].map((status) => ({ name: `key, ${status}`, isKey: true, answer: said(status) })),
  { name: "error", answer: (text) => ({ status: 400, body: { error: text, code: text } }) },
  { name: "errors", answer: (text) => ({ status: 422, body: { errors: [text, { text }] } }) },
  { name: "HTML", answer: (body) => ({ status: 403, headers: { "content-type": "text/html" }, body }) },
  { name: "JSON that is cut off", answer: (text) => ({ status: 200, body: `{"message":${text}` }) },
  {
    name: "redirect",
    answer: (text) => ({ status: 302, headers: { location: `/?${text}` }, body: { message: text } }),
  },
  { name: "names of fields", answer: (text) => ({ status: 200, body: { [text]: { [text]: text } } }) },
];
const ID = "11111111-1111-4111-8111-111111111111";
const FIREBLOCKS: readonly Place[] = [
  ...COMMON,
  { name: "id", answer: (id) => ({ status: 200, body: { id, status: "SUBMITTED" } }) },
  { name: "status", answer: (status) => ({ status: 200, body: { id: ID, status, subStatus: status } }) },
  {
    name: "reason",
    answer: (text) => ({ status: 200, body: { id: text, status: "FAILED", subStatus: text } }),
  },
  {
    name: "signature",
    answer: (text) => ({
      status: 200,
      body: {
        ...{ id: ID, status: "COMPLETED" },
        signedMessages: [{ content: text, derivationPath: [text], signature: { r: text, s: text } }],
      },
    }),
  },
  {
    name: "public key",
    isKey: true,
    answer: (text) => ({ status: 200, body: { publicKey: text, algorithm: text, derivationPath: [text] } }),
  },
];
const PRIVY: readonly Place[] = [
  ...COMMON,
  {
    name: "signature",
    answer: (text) => ({ status: 200, body: { method: text, data: { signature: text, encoding: text } } }),
  },
  {
    name: "wallet",
    isKey: true,
    answer: (text) => ({ status: 200, body: { id: text, address: text, chain_type: text, owner_id: text } }),
  },
];

/** A key service that is hostile in one place of its answers, and the settings of its signer. */
export type Cell = {
  id: string;
  service: KeyServiceUnderTest;
  /** From now on it writes a secret there, in this form. */
  turn: (form: Form) => void;
  close: () => Promise<void>;
};

/** One for each place, and for each kind one that is honest. */
export function makeCells(): Promise<Cell[]> {
  return Promise.all([
    fireblocksCell(0),
    fireblocksCell(1),
    privyCell(0),
    ...FIREBLOCKS.map((place, index) => fireblocksCell(index, place)),
    ...PRIVY.map((place, index) => privyCell(index, place)),
  ]);
}

export function isHonest({ id }: Cell): boolean {
  return id.includes("-honest-");
}

async function fireblocksCell(index: number, place?: Place): Promise<Cell> {
  const server = await FireblocksServer.start();
  Object.assign(server, { apiKey: CANARIES.fireblocksApiKey });
  server.states = ["COMPLETED"];
  // Typed data needs a vault account.
  const source = ["vault-account", "derivation-path", "vault-account"][index % 3] ?? "";
  const settings = {
    ...{ fireblocksUrl: server.url, fireblocksSource: source, timeout: "3" },
    ...(source === "vault-account" ? server.source : { derivationPath: server.derivationPath.join("/") }),
    fireblocksSends: index % 3 === 2 ? "typed-data" : "digest",
  };
  const secrets = { fireblocksApiKey: server.apiKey, fireblocksKey: server.privateKey.replaceAll("\n", "") };
  return cellOf("fireblocks", server, { index, settings, secrets, canary: server.apiKey, place });
}

async function privyCell(index: number, place?: Place): Promise<Cell> {
  const server = await PrivyServer.start();
  Object.assign(server, { appSecret: CANARIES.privyAppSecret, isOwned: true });
  const settings = {
    ...{ privyUrl: server.url, privyAppId: server.appId, privyWalletId: server.walletId, timeout: "3" },
    privySends: index % 2 === 1 ? "typed-data" : "digest",
  };
  const secrets = { privyAppSecret: server.appSecret, privyAuthorizationKey: server.authorizationKey };
  return cellOf("privy", server, { index, settings, secrets, canary: server.appSecret, place });
}

type Made = Pick<KeyServiceUnderTest, "settings" | "secrets"> & {
  index: number;
  canary: string;
  place: Place | undefined;
};

function cellOf(
  kind: string,
  server: FireblocksServer | PrivyServer,
  { index, settings, secrets, canary, place }: Made,
): Cell {
  return {
    id: `${kind}-${place ? "hostile" : "honest"}-${index}`,
    service: {
      ...{ kind, custodian: kind, addressField: `${kind}Url`, settings, secrets },
      key: { address: server.address },
      asked: () => server.asked.length,
    },
    turn: ({ write }) => {
      const hostile = place?.answer(write(canary));
      // It is asked for a fault when a request has come.
      server.faults.shift = () =>
        isOfKey(server.asked.at(-1)) === (place?.isKey ?? false) ? hostile : undefined;
    },
    close: () => server.close(),
  };
}

function isOfKey(asked: Asked | undefined): boolean {
  return asked?.method === "GET" && !asked.path.includes("/transactions");
}
