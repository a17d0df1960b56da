import { type AbiParameter, checksumAddress, hexToBytes } from "viem";
import { snakeCase } from "../../../../src/abi/wire-values.ts";
import { EXTENSIONS, type Hex } from "../../../../src/protocol/index.ts";
import type { Chain } from "../../chain/chain.ts";
import { ChainMoved } from "../logs/skipped.ts";
import { readFunction } from "./contract-answers.ts";
import type { ServiceLog, WatcherService } from "./service.ts";
import { extensionService } from "./service.ts";

const DTA = "dta.v2";

/**
 * `dta.v2`: requests for shares of funds. `data`: the reference data, with the distributor's request and the fund as the
 * contract has them, and for settlements the currency and the request for the payment. All of it has the form of the
 * public service. What a contract does not answer is left out.
 */
export const dta: WatcherService = {
  ...extensionService(DTA),
  async dataOf(chain, log) {
    return { type: "reference_data", value: await referenceData(chain, log) };
  },
};

type OnChain = { source: object; data: Readonly<Record<string, unknown>> };
type Request = { fundAdminAddr: Hex; fundTokenId: Hex };
type Fund = { navFeedDecimals: number; paymentInfo: { offChainPaymentCurrency: number } };
/** A part of the data, and what it was read from. */
type Read<T> = { part: OnChain; found: T };

const OPENED = "DTASettlementOpened";
const CLOSED = "DTASettlementClosed";
const MANAGEMENT_EVENTS = new Set(
  EXTENSIONS.filter(({ service }) => service === DTA)
    .flatMap(({ events }) => events)
    .filter(({ emitters }) => emitters.includes("DTARequestManagement"))
    .map(({ name }) => name),
);
const LARGEST_AMOUNT = 2n ** 63n - 1n;
const ONE_HOUR_NS = 3_600_000_000_000;

/** Null for an event for which the public service reads nothing. */
async function referenceData(chain: Chain, log: ServiceLog): Promise<object | null> {
  const { event, params } = log;
  if (MANAGEMENT_EVENTS.has(event)) {
    const request = await requestOf(chain, log.address, params);
    const fund = await fundOf(chain, log.address, request?.found ?? fundIn(params));
    return onChain(request, fund);
  }
  if (event !== OPENED && event !== CLOSED) return null;
  // The request may be on another network, which is not asked. The parameter is a number of the wire, beyond 2^53.
  if (JSON.stringify(params.dta_chain_selector) !== chain.network.chain_selector) return {};
  const contract = String(params.dta_addr);
  const [request, fund] = await Promise.all([
    requestOf(chain, contract, params),
    fundOf(chain, contract, fundIn(params)),
  ]);
  if (fund === undefined) return onChain(request);
  const currency = fund.found.paymentInfo.offChainPaymentCurrency;
  const payment = event === OPENED ? await paymentRequest(chain, log, fund.found) : undefined;
  return {
    ...onChain(request, fund),
    off_chain: [
      {
        source: { type: "ISO Standard", identifier: "ISO 4217" },
        data: { currency_id: currency, currency_code: currencyCode(currency) },
      },
    ],
    ...(payment === undefined ? {} : { requests: [{ type: "payment_request", value: payment }] }),
  };
}

function onChain(...read: ReadonlyArray<Read<unknown> | undefined>): { on_chain?: OnChain[] } {
  const parts = read.flatMap((one) => (one === undefined ? [] : [one.part]));
  return parts.length === 0 ? {} : { on_chain: parts };
}

function fundIn(params: ServiceLog["params"]): Partial<Request> {
  return { fundAdminAddr: params.fund_admin_addr as Hex, fundTokenId: params.fund_token_id as Hex };
}

async function requestOf(
  chain: Chain,
  to: string,
  { request_id }: ServiceLog["params"],
): Promise<Read<Request> | undefined> {
  if (request_id === undefined) return undefined;
  const call = { contract: "DemoDta", functionName: "getDistributorRequest", args: [request_id] } as const;
  const returned = await readFunction(chain, to, call);
  const [output] = returned?.outputs ?? [];
  if (returned === undefined || output === undefined) return undefined;
  const source = sourceOf(to, "getDistributorRequest(bytes32)", returned.callData);
  const data = { distributor_request: asGoStruct(output, returned.value) };
  return { part: { source, data }, found: returned.value as Request };
}

async function fundOf(
  chain: Chain,
  to: string,
  { fundAdminAddr, fundTokenId }: Partial<Request>,
): Promise<Read<Fund> | undefined> {
  if (fundAdminAddr === undefined || fundTokenId === undefined) return undefined;
  const args = [fundAdminAddr, fundTokenId];
  const returned = await readFunction(chain, to, { contract: "DemoDta", functionName: "getFundToken", args });
  const output = returned?.outputs[1];
  if (returned === undefined || output === undefined) return undefined;
  const [enabled, fund] = returned.value as [boolean, Fund];
  const source = sourceOf(to, "getFundToken(address,bytes32)", returned.callData);
  return { part: { source, data: { enabled, fund_token_data: asGoStruct(output, fund) } }, found: fund };
}

function sourceOf(contract: string, signature: string, callData: Hex): object {
  return {
    contract_address: contract,
    contract_function_signature: signature,
    call_data: callData,
    block: "latest",
  };
}

/**
 * What a payment system is asked for; undefined for a request that is neither a subscription nor a redemption, and for an
 * amount that the form cannot hold.
 *
 * @throws ChainMoved when the block of the log was replaced.
 */
async function paymentRequest(
  chain: Chain,
  { address, params, block }: ServiceLog,
  { navFeedDecimals, paymentInfo }: Fund,
): Promise<object | undefined> {
  const amount = BigInt(String(params.amount)) / 10n ** BigInt(navFeedDecimals);
  const parties = [params.distributor_addr, params.fund_admin_addr].map((one) => checksumAddress(one as Hex));
  const [sender, receiver] = Number(params.request_type) === 1 ? parties : parties.toReversed();
  if (![1, 2].includes(Number(params.request_type)) || amount > LARGEST_AMOUNT) return undefined;
  const mined = await chain.block(block.number);
  if (mined?.hash !== block.hash) throw new ChainMoved();
  return {
    ...{ applicationType: DTA, applicationAddr: address, e2eId: params.request_id },
    ...{ sender, receiver, currency: currencyCode(paymentInfo.offChainPaymentCurrency) },
    ...{ chainId: chain.network.chain_id, amount: Number(amount) },
    // The public service adds an hour in nanoseconds to a time in seconds.
    expiration: mined.timestamp + ONE_HOUR_NS,
    customCallback: {
      contractAddress: address,
      functionName: "completeRequestProcessing",
      functionSignature: "completeRequestProcessing(bytes32,bool,bytes,bool)",
    },
  };
}

/** As Go writes a struct: names with a capital, bytes as a list, addresses in lower case, large numbers rounded. */
function asGoStruct(parameter: AbiParameter, value: unknown): unknown {
  if ("components" in parameter && parameter.type === "tuple") {
    const fields = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      parameter.components.map((part) => {
        const { name = "" } = part;
        return [name.charAt(0).toUpperCase() + name.slice(1), asGoStruct(part, fields[name])];
      }),
    );
  }
  if (parameter.type === "address") return String(value).toLowerCase();
  if (/^bytes\d+$/.test(parameter.type)) return [...hexToBytes(value as Hex)];
  return typeof value === "bigint" ? Number(value) : value;
}

/** The codes of ISO 4217 in the order of the alphabet: the number of a currency in contracts of DTA is its place, from 1. */
const CODES =
  `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF
  CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF
  GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD
  LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP
  PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP
  TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XAG XAU XBA XBB XBC XBD XCD XDR XOF XPD
  XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG`.split(/\s+/);

/** The code of a currency, with the public service's words for no currency and for an unknown one. */
function currencyCode(id: number): string {
  return id === 0 ? "None" : (CODES[id - 1] ?? "Unknown");
}

/** `dvp`: settlements. `data`: `{settlement_id, settlement_hash, dvp}`, the last as the contract has it. */
export const dvp: WatcherService = {
  ...extensionService("dvp"),
  async dataOf(chain, { address, params }) {
    const { settlement_id, settlement_hash } = params;
    const call = { contract: "DemoDvp", functionName: "getSettlement", args: [settlement_hash] } as const;
    const found = await readFunction(chain, address, call);
    return {
      settlement_id,
      settlement_hash,
      ...(found === undefined ? {} : { dvp: inSnakeCase(found.value as object) }),
    };
  },
};

/** Integers as numbers of the wire, which rounds large ones. */
function inSnakeCase(value: object): Record<string, unknown> {
  const entries = Object.entries(value).map(([key, part]: [string, unknown]) => {
    if (typeof part === "bigint") return [snakeCase(key), Number(part)];
    return [snakeCase(key), typeof part === "object" && part !== null ? inSnakeCase(part) : part];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}
