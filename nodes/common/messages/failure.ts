import type { Abi, AbiError, Operation } from "../../../src/index.ts";
import { valueNames } from "../../../src/protocol/abi-names.ts";
import { toldUnits } from "../contracts/call-decimals.ts";
import {
  type ContractRegistry,
  type DeployedContract,
  deployedContracts,
  type Units,
  unitsAt,
} from "../contracts/contract-registry.ts";
import { type Library, loadLibrary } from "../library.ts";
import { isTokenCall } from "../shared/chain.ts";
import { cutAtWord } from "../shared/text.ts";

/** Why an operation or a query failed, in parts. */
type Failure = {
  /** The name of the contract's error, or its text: short, and without ids. */
  reason: string;
  /** What the service says around it: `transaction 2 of 2`, `CALL_REVERTED: execution reverted`. */
  context?: string;
  /** The values of the contract's error: amounts first. */
  values?: string;
  /** Its addresses, where they are known apart. */
  addresses?: string;
  /** What to look at where an operation reverted without a reason: too little of the coin has none. */
  check?: string;
};

/** A call that failed, so that its contract's error can be read. `from` is who makes it, where that is known. */
export type FailedCall = { chainSelector: string; to: string; data: string; from?: string | undefined };

/** The errors of ERC-6093, which token contracts use and their ABI often leaves out. */
const TOKEN_ERRORS = [
  "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
  "error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
].join("\n");

/** By the names of ERC-6093: what they say is the same for every token. Another contract's error speaks for itself. */
const IN_WORDS: Readonly<Record<string, string>> = {
  ERC20InsufficientBalance: "too few tokens",
  ERC20InsufficientAllowance: "the allowance is too small",
  ERC20InvalidSender: "this address cannot send tokens",
  ERC20InvalidReceiver: "this address cannot receive tokens",
  ERC20InvalidApprover: "this address cannot approve",
  ERC20InvalidSpender: "this address cannot spend",
};

const CHECK_COINS = "If it sends coins, check the coin balance of the wallet.";

const IN_BATCH = /^(transaction (\d+) of \d+): (.*)$/s;
/** The service's words repeat what was decoded from the bytes, or stand before it. */
const REPEATED = /^(?:([\w ]+): )?(.*) \(\2\)$/s;
const IN_QUERY = /^(\w*REVERT\w*: [^(]*?) \((.*)\)$|^(\w*REVERT\w*): (.*)$/s;
/** What no ABI here names: it is too long to begin a sentence. */
const LONG_HEX = /^0x[0-9a-f]{8,}$/i;
/** `Refused(caller: 0x…, amount: 5)`, with what may stand before it. */
const CUSTOM_ERROR = /^(?:(.*?)[:\s]\s*)?([A-Z]\w*)\((.*)\)$/s;
const BARE = /^(?:execution |the transaction )?reverted:?(?: without a reason(?:, or ran out of gas)?)?$/i;
const REVERT_DATA = /^0x[0-9a-f]{8}(?:[0-9a-f]{64})*$/i;

/** Longer than any reason that a person reads. The patterns above take quadratic time. */
const LONGEST = 4_000;

/** By the text alone. Its values are in the contract's smallest unit. */
export function failureOf(whole: string): Failure {
  const text = cutAtWord(whole, LONGEST);
  const [, batch, , inBatch = text] = IN_BATCH.exec(text) ?? [];
  const [, before, said, code = before, inner = said ?? inBatch] =
    REPEATED.exec(inBatch) ?? IN_QUERY.exec(inBatch) ?? [];
  const unnamed = ["", "", "an error that the ABI does not name", inner];
  const [, around, name, values] = LONG_HEX.test(inner) ? unnamed : (CUSTOM_ERROR.exec(inner) ?? []);
  const context = [batch, code ?? around].filter(Boolean).join(", ");
  return {
    reason: (name ?? inner).replace(/[.!:]+$/, ""),
    ...(context ? { context } : {}),
    ...(values ? { values } : {}),
    // A query sends no coins, and has a code.
    ...(code === undefined && BARE.test(inner) ? { check: CHECK_COINS } : {}),
  };
}

/**
 * With the ABI of the contract that was called: revert data is decoded, and amounts are in tokens where its decimals are
 * known.
 *
 * @param service whose tokens have told their decimals before: none is asked here
 */
export async function explainFailure(
  registry: ContractRegistry,
  text: string,
  calls: readonly FailedCall[],
  service: string,
): Promise<Failure> {
  const call = calls.length > 1 ? calls[Number(IN_BATCH.exec(text)?.[2]) - 1] : calls[0];
  if (!call) return failureOf(text);
  const [library, contracts] = await Promise.all([
    loadLibrary(),
    deployedContracts(registry, call.chainSelector, call.to),
  ]);
  const failure = failureOf(readable(library, contracts, text));
  const units = unitsAt(registry, call.chainSelector, call.to) ?? toldUnits(registry, call, service);
  const values = failure.values && inTokens(library, contracts, units, failure, call);
  return values ? { ...failure, ...values } : failure;
}

/** The calls of an operation, where the service shows them. */
export function callsOf({
  chain_selector: chainSelector,
  address: from,
  transactions = [],
}: Operation): FailedCall[] {
  return transactions.map(({ to, data }) => ({ chainSelector, to, data, from }));
}

/** `Refused: amount 5 tokens. The operation was not executed.` */
export function failureSentence(status: string, failure: Failure | undefined, meaning: string): string {
  if (!failure) return `${status}: ${meaning.charAt(0).toLowerCase()}${meaning.slice(1)}.`;
  const { reason, context, values, addresses, check } = failure;
  const said = Object.hasOwn(IN_WORDS, reason) ? IN_WORDS[reason] : reason;
  // A contract's error says that it failed; what else ended, does not.
  const ended = status === "failed" ? "" : `${status}: `;
  const why = `${ended}${said}${values ? `: ${values}` : ""}`;
  const around = [context, addresses].filter(Boolean).join(", ");
  const what = `${why}. ${meaning}${around ? ` (${around})` : ""}.`;
  return check ? `${what} ${check}` : what;
}

/** Some services give the bytes with which the contract reverted. */
function readable(library: Library, contracts: readonly DeployedContract[], text: string): string {
  const [data] = text.split(/\s/).slice(-1);
  if (data === undefined || !REVERT_DATA.test(data)) return text;
  for (const abi of [...contracts.map((one) => one.abi), library.parseAbi(TOKEN_ERRORS)]) {
    const decoded = library.decodeRevert({ abi, data });
    if (decoded !== data.toLowerCase()) return text.slice(0, text.length - data.length) + decoded;
  }
  return text;
}

/** A value of an error, with its name or position. */
type Named = { key: string; value: string };

/** The values with their amounts in tokens, and the addresses apart. Undefined where the error is not known. */
function inTokens(
  library: Library,
  contracts: readonly DeployedContract[],
  units: Units | undefined,
  { reason: name, values: text = "" }: Failure,
  call: FailedCall,
): Pick<Failure, "values" | "addresses"> | undefined {
  const parts = text.split(", ");
  const abis: Abi[] = [...contracts.map(({ abi }) => abi), library.parseAbi(TOKEN_ERRORS)];
  const error = abis
    .flatMap((abi) => abi.filter(isError))
    .find((one) => one.name === name && one.inputs.length === parts.length && one.inputs.every(isPlain));
  if (!error) return undefined;
  const keys = valueNames(error.inputs);
  const values = error.inputs.map((input, index) => {
    const key = keys[index] ?? "";
    return { key, value: (parts[index] ?? "").replace(`${input.name}: `, "") };
  });
  const parameterTexts = values.map(({ value }) => value);
  const given = Object.fromEntries(values.map(({ key, value }) => [key, value]));
  const isOwn = !isOfTokens(error) || isRaisedBy(call, parameterTexts);
  const amounts =
    units && isOwn ? library.amountsInTokens(given, error.inputs, units.decimals, units.amounts) : undefined;
  const named = ({ key, value }: Named) => (/^\d+$/.test(key) ? value : `${key} ${value}`);
  const isAmount = ({ key }: Named) => amounts?.[key] !== undefined;
  const isAddress = ({ value }: Named) => value.startsWith("0x");
  const tokens = values.filter(isAmount).map(({ key }) => ({ key, value: grouped(String(amounts?.[key])) }));
  const unit = tokens.at(-1)?.value === "1" ? " token" : " tokens";
  const shown = [
    ...(tokens.length > 0 ? [tokens.map(named).join(", ") + unit] : []),
    ...values.filter((one) => !isAmount(one) && !isAddress(one)).map(named),
  ];
  const addresses = values.filter(isAddress).map(named);
  return {
    values: shown.join(", "),
    ...(addresses.length > 0 ? { addresses: addresses.join(", ") } : {}),
  };
}

/** `100,000.5` */
function grouped(amount: string): string {
  return amount.replace(/\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ","));
}

/** Of too small a balance or allowance: a contract passes on those of the tokens that it moves. */
function isOfTokens({ name, inputs }: AbiError): boolean {
  return name.startsWith("ERC20") || inputs.map(({ type }) => type).join() === "address,uint256,uint256";
}

/**
 * Whether the called contract has raised an error of tokens itself: the error tells the amount of the call, and who pays
 * it or may spend it. An inner token has decimals of its own.
 */
function isRaisedBy({ to, data, from = "" }: FailedCall, values: readonly string[]): boolean {
  const account = values[0]?.toLowerCase();
  const first = `0x${data.slice(34, 74)}`;
  const amount = data.slice(-64);
  return (
    isTokenCall(data) &&
    account !== to.toLowerCase() &&
    [from, first].some((one) => one.toLowerCase() === account) &&
    /^[0-9a-f]{64}$/i.test(amount) &&
    values.includes(String(BigInt(`0x${amount}`)))
  );
}

function isError(item: Abi[number]): item is AbiError {
  return item.type === "error";
}

/** Its value as text holds no comma. */
function isPlain({ type }: AbiError["inputs"][number]): boolean {
  return /^(?:u?int\d*|address|bool|bytes\d+)$/.test(type);
}
