import { isDeepStrictEqual } from "node:util";
import Type, { type Static } from "typebox";
import { checksumAddress } from "viem";
import {
  type Address as AddressText,
  type Hex,
  LIMITS,
  PAGE_LIMITS,
  RSA_PATTERNS,
  type RsaPublicKey,
  WALLET_STATUSES,
  WALLET_TYPES,
  type Wallet,
} from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { invalid } from "../errors.ts";
import { refuseArchivedChannel } from "../lifecycles/channel.ts";
import { createWallet, updateWallet } from "../lifecycles/wallet.ts";
import { channelOf, checkNetwork, confidenceLevelOf, networksOf, walletOf } from "../lookup.ts";
import { defined } from "../store/rows.ts";
import { type StoredWallet, shownWallet } from "../store/wallets.ts";
import { NO_CHANNEL } from "./channels.ts";
import { NO_NETWORK } from "./networks.ts";
import { documented } from "./openapi.ts";
import { pageOf, RsaKey, WalletAnswer } from "./resources.ts";
import { abandonment, pageText, type Routes } from "./routes.ts";
import {
  Address,
  ChainSelector,
  Description,
  Id,
  listQuery,
  many,
  Name,
  NamePart,
  NETWORK_FILTERS,
  oneOf,
} from "./schemas.ts";

const WalletParams = Type.Object({ wallet_id: Id });

const SIGNERS = {
  maxItems: LIMITS.walletSigners,
  description: `a list of at most ${LIMITS.walletSigners} signers`,
};
/** The public limit is unknown; this is the one of query metadata. */
const MOST_CONFIGURATION_BYTES = 16_384;
const NewWallet = Type.Object(
  {
    name: Name,
    description: Type.Optional(Description),
    wallet_owner_address: Address,
    chain_selector: ChainSelector,
    wallet_type: oneOf(WALLET_TYPES),
    configuration: Type.Optional(
      Type.Object(
        { allowed_signers: Type.Optional(Type.Array(Type.Unknown(), SIGNERS)) },
        {
          description: `an object of at most ${MOST_CONFIGURATION_BYTES} bytes as JSON; other members than allowed_signers are kept unchanged`,
        },
      ),
    ),
    allowed_ecdsa_signers: Type.Optional(Type.Array(Address, SIGNERS)),
    allowed_rsa_signers: Type.Optional(Type.Array(RsaKey, SIGNERS)),
    status_channel_id: Type.Optional(Id),
  },
  { title: "NewWallet" },
);
const WalletChange = Type.Object(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    status: Type.Optional(oneOf(["archived"] as const)),
  },
  { title: "WalletChange" },
);

const NO_WALLET = "`WALLET_NOT_FOUND`: there is no such wallet.";
const NAME_TAKEN = "`WALLET_ALREADY_EXISTS`: the name is taken.";

export function walletRoutes(app: Routes, context: Context): void {
  const { store, injected } = context;

  const create = {
    tags: ["wallets"],
    operationId: "createWallet",
    summary: "Creates a wallet, which is then deployed",
    body: NewWallet,
    answers: { 201: WalletAnswer, 404: NO_CHANNEL, 409: `${NAME_TAKEN} ${NO_NETWORK}` },
  };
  app.post("/wallets", { schema: create }, (request, reply) => {
    const { body } = request;
    checkNetwork(context, body.chain_selector);
    if (body.status_channel_id !== undefined) {
      const channel = channelOf(context, body.status_channel_id);
      refuseArchivedChannel(channel, "The channel of status_channel_id is archived.");
    }
    refuseLargeConfiguration(body.configuration ?? {});
    const signers = signersOf(body);
    const wallet = createWallet(
      context,
      defined({
        name: body.name,
        description: body.description,
        owner: checksumAddress(body.wallet_owner_address as Hex),
        chainSelector: body.chain_selector,
        type: body.wallet_type,
        statusChannelId: body.status_channel_id,
        configuration: body.configuration,
        ...signers,
      }),
    );
    injected.absences.onCreate("wallet", wallet.walletId);
    reply.code(201);
    return shown(context, wallet);
  });

  app.get(
    "/wallets",
    documented("wallets", "listWallets", {
      summary: "Lists wallets, oldest first; archived ones only when asked for by status",
      querystring: listQuery(PAGE_LIMITS.wallets, {
        name: NamePart,
        ...NETWORK_FILTERS,
        owner: Type.Optional(Address),
        address: Type.Optional(Address),
        type: Type.Optional(oneOf(WALLET_TYPES)),
        status: many(oneOf(WALLET_STATUSES)),
      }),
      answers: { 200: pageOf("WalletList", WalletAnswer) },
    }),
    async (request, reply) => {
      const { chain_selector, chain_environment, ...filter } = request.query;
      if (networksOf(context, chain_environment).length === 0) return { data: [], has_more: false };
      const page = await store.wallets.list({
        ...filter,
        absent: injected.absences.ids,
        isAbandoned: abandonment(request),
        ...defined({ chainSelector: chain_selector }),
      });
      reply.type("application/json; charset=utf-8");
      return await pageText({ ...page, data: page.data.map((wallet) => shown(context, wallet)) });
    },
  );

  app.get(
    "/wallets/:wallet_id",
    documented("wallets", "getWallet", {
      summary: "One wallet",
      params: WalletParams,
      answers: { 200: WalletAnswer, 404: NO_WALLET },
    }),
    (request) => shown(context, walletOf(context, request.params.wallet_id)),
  );

  app.patch(
    "/wallets/:wallet_id",
    documented("wallets", "updateWallet", {
      summary: "Renames, describes or archives a wallet",
      params: WalletParams,
      body: WalletChange,
      answers: {
        200: WalletAnswer,
        404: NO_WALLET,
        409: `${NAME_TAKEN} \`WALLET_ALREADY_ARCHIVED\`: it is archived.`,
      },
    }),
    (request) => {
      const wallet = walletOf(context, request.params.wallet_id);
      return shown(context, updateWallet(context, wallet, defined(request.body)));
    },
  );
}

function shown(context: Context, wallet: StoredWallet): Wallet {
  return { ...shownWallet(wallet), confidence_level: confidenceLevelOf(context) };
}

type Signers = Pick<StoredWallet, "ecdsaSigners" | "rsaSigners">;

/** From the newer or the older field; both must agree where both are given. */
function signersOf({
  wallet_type,
  configuration,
  allowed_ecdsa_signers,
  allowed_rsa_signers,
}: Static<typeof NewWallet>): Signers {
  const isRsa = wallet_type.endsWith("rsa");
  const [older, others] = isRsa
    ? [allowed_rsa_signers, allowed_ecdsa_signers]
    : [allowed_ecdsa_signers, allowed_rsa_signers];
  if ((others ?? []).length > 0) {
    throw invalid(`A wallet of type ${wallet_type} takes no ${isRsa ? "ECDSA" : "RSA"} signers.`);
  }
  const read = (signers: unknown[]): Signers =>
    isRsa
      ? { ecdsaSigners: [], rsaSigners: rsaSignersOf(signers) }
      : { ecdsaSigners: ecdsaSignersOf(signers), rsaSigners: [] };
  const newer = configuration?.allowed_signers;
  const signers = read(newer ?? older ?? []);
  const asSet = ({ ecdsaSigners, rsaSigners }: Signers) => new Set<unknown>([...ecdsaSigners, ...rsaSigners]);
  if (newer !== undefined && older !== undefined && !isDeepStrictEqual(asSet(read(older)), asSet(signers))) {
    const form = isRsa ? "allowed_rsa_signers" : "allowed_ecdsa_signers";
    throw invalid(`configuration.allowed_signers and ${form} name different signers. Leave one of them out.`);
  }
  return signers;
}

function ecdsaSignersOf(signers: unknown[]): AddressText[] {
  const addresses = signers.map((signer, index) => {
    if (typeof signer === "string" && /^0x[0-9a-fA-F]{40}$/.test(signer))
      return checksumAddress(signer as Hex);
    throw invalid(`The signer at position ${index} must be an address: 0x and 40 hex digits.`);
  });
  refuseTwice(addresses);
  return addresses;
}

function refuseLargeConfiguration({ allowed_signers, ...own }: { allowed_signers?: unknown }): void {
  if (Buffer.byteLength(JSON.stringify(own)) <= MOST_CONFIGURATION_BYTES) return;
  throw invalid(
    `configuration must have at most ${MOST_CONFIGURATION_BYTES} bytes as JSON beside allowed_signers.`,
  );
}

function rsaSignersOf(signers: unknown[]): RsaPublicKey[] {
  const keys = signers.map((signer, index) => {
    const { e, n } = (typeof signer === "object" && signer !== null ? signer : {}) as Record<string, unknown>;
    if (isHexOf(RSA_PATTERNS.e, e) && isHexOf(RSA_PATTERNS.n, n)) return { e, n };
    throw invalid(`The signer at position ${index} must be an RSA key {e, n}, both in hex.`);
  });
  refuseTwice(keys.map(({ e, n }) => `${e} ${n}`.toLowerCase()));
  return keys;
}

function isHexOf(pattern: RegExp, value: unknown): value is Hex {
  return typeof value === "string" && pattern.test(value);
}

function refuseTwice(signers: string[]): void {
  if (new Set(signers).size !== signers.length) throw invalid("Each signer may be named only once.");
}
