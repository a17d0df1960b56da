import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { rm } from "node:fs/promises";
import should from "should";
import * as library from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import { type Member, readReport, type Signature } from "./api-report.ts";
import { ARGUMENTS, folder, OBJECTS, SAMPLES, sent } from "./option-samples.ts";
import { OptionTypes, type Place } from "./option-types.ts";

const throwing = () => {
  throw new Error("hostile");
};
const traps = { get: throwing, has: throwing, ownKeys: throwing, getPrototypeOf: throwing };

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** What callers without types pass, and what looks hostile. */
const VALUES: ReadonlyArray<readonly [name: string, value: unknown]> = [
  ["null", null],
  ["undefined", undefined],
  ["NaN", Number.NaN],
  ["-1", -1],
  ["1.5", 1.5],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["empty text", ""],
  ["text", "hostile"],
  ["true", true],
  ["an object", {}],
  ["a list", []],
  ["a list of a number", [7]],
  ["a function", () => undefined],
  ["a symbol", Symbol("hostile")],
  ["a bigint", 7n],
  ["an AbortController", new AbortController()],
  ["an object whose getters throw", new Proxy({}, traps)],
  ["a revoked proxy", revoked({})],
  ["a revoked list", revoked([])],
];

/** Their errors are made by the library; the classes are not exported, or only as types. */
const INTERNAL = /^(?:new )?(?:Lane|ResourceTransport|Transport|sleep)\b/;
/** They answer for any value, and throw for none: these read what anybody may have sent. */
const ANSWERS =
  /^(?:canReach|extensionAbi|isCursorState|isEvent|isRsaSignature|isTerminal|isVerifiable|progressTo|unlisted)$/;
/** What is not verified is a result of them, with its reason. */
const RESULTS = /^(?:verifyEvent|verifyQuery|createVerifier|Verifier\.)/;
/** A right call of them goes to a server, or to a file. */
const FAR =
  /^(?:awsKmsSigner|fireblocksSigner|privySigner|remoteSigner|vaultSigner|openSharedState|SharedState\.|copyCursorFile)/;
/** They have files, timers or connections. */
const OPEN = /^(?:File|LeaseKeeper|SharedState|AlertRule|EventAlertRule)/;
/** Types of objects that functions return. */
const RETURNED = ["ChannelReader", "EventAlertRule", "LocalSigner", "SharedState", "Verifier"];

/** Members whose values the service or a contract decides, and values that a check of its own takes in other forms. */
const LOOSE = new RegExp(
  [
    // A time that is not of the last 30 s is ignored.
    /^CrecClient\.noteCreated createdAt/,
    // `NaN` for what has no time, and decimals of any contract.
    /^AlertRule\.accept input\.(?:at|reportedAt|decimals)$/,
    /^AlertRule\.learn evidence\.at$/,
    // Also numbers and bigints, which are exact, and bytes as a list.
    /^(?:compileConditions|matchEvent|explainMatch|createAlertRule) .*\.(?:value|to)(?:\.0)?$/,
    // Data of another form is what they are about.
    /^decodeFunction(?:Call|Result) call\.data$/,
    /^decodeRevert /,
    // A whole number may be a number, too.
    /^fromSmallestUnit integer$/,
    // What is no proof is one that cannot be read.
    /^recoverReportSigners /,
    // An error of any origin may have no code.
    /^(?:ReadBackoff\.next|readErrorKindOf) \w+(?:\.code|\.retryAfterMs)?$/,
    // The service may count as it likes.
    /^EventConsumer\.isSettled offset$/,
    // Nothing else of a verifier is called.
    /^Queries\.\w+ options\.verifier\.verify(?:All)?$/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

/** By their names, numbers that are never below 0. */
const COUNTED =
  /(?:Ms|^limit|^offset|^max\w+|^inFlight|^most|^attempt|^epoch|^revision|PerSecond|PerMinute)$/;

type Outcome = { value?: unknown; error?: unknown; isEarly?: boolean };
type Call = (...args: readonly unknown[]) => unknown;

const report = readReport();
const types = new OptionTypes(report, SAMPLES);

describe("a wrong option", function () {
  this.timeout(60_000);
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  /** What a call of these tests has begun, and not what another file of this process left. */
  const calls = new AsyncLocalStorage<true>();
  /** Where each timer that runs was started. */
  const timers = new Map<number, string>();
  const hook = createHook({
    init: (id, type) => {
      if (type === "Timeout" && calls.getStore()) timers.set(id, new Error("started").stack ?? "");
    },
    destroy: (id) => void timers.delete(id),
  });

  before(() => {
    process.on("unhandledRejection", note);
    hook.enable();
  });
  after(async () => {
    hook.disable();
    process.off("unhandledRejection", note);
    await rm(folder, { recursive: true });
  });

  for (const signature of signatures()) {
    const check = async () => {
      const problems: string[] = [];
      const { call, end } = await callOf(signature.name);
      const right = rightArguments(signature);
      const plain = await outcomeOf(signature, call, right);
      if (plain.error instanceof library.ArgumentError) problems.push(`A right call: ${plain.error.message}`);
      for (const [index, parameter] of signature.parameters.entries()) {
        for (const place of types.places(parameter)) {
          for (const [label, value] of VALUES) {
            const fits =
              (place.takesNothing && value === undefined) ||
              (types.fits(place.type, value) && !(value === -1 && COUNTED.test(place.path.at(-1) ?? "")));
            if (fits && (FAR.test(signature.name) || typeof value === "function")) continue;
            const args = [...right];
            args[index] = changed(parameter, place, value, right[index]);
            const before = sent.requests;
            const outcome = await outcomeOf(signature, call, args);
            const where = `${signature.name} ${place.path.join(".")}`;
            const isRefused = !fits && !place.isData && !LOOSE.test(where);
            const problem = problemOf(signature.name, outcome, { isRefused, isSent: sent.requests > before });
            if (problem !== undefined) problems.push(`${where} = ${label}: ${problem}`);
          }
        }
      }
      should(problems).eql([]);
      await end();
    };
    it(`is refused by ${signature.name}`, () => calls.run(true, check));
  }

  it("leaves nothing behind, and no rejection that nobody handles", async () => {
    const ours = () => [...timers.values()].filter((stack) => stack.includes("/src/"));
    await eventually("the end of all timers", ours, (stacks) => stacks.length === 0);
    should(unhandled).eql([]);
  });
});

/** The public functions, methods and constructors that take anything. */
function signatures(): Signature[] {
  const returned = RETURNED.flatMap((name) => {
    const places = types.places({ name, isOptional: false, type: { kind: "named", name, of: [] } });
    return places.flatMap(({ path, type }): Signature[] =>
      path.length === 2 && type.kind === "function" ? [{ ...type, name: path.join(".") }] : [],
    );
  });
  return [...report.signatures, ...returned].filter(({ name, parameters }) => {
    const [, owner] = /^new (.*)/.exec(name) ?? [];
    if (INTERNAL.test(name) || parameters.length === 0) return false;
    return owner === undefined || owner in library;
  });
}

/** `end`: stops what may have begun on its object. */
async function callOf(name: string): Promise<{ call: Call; end: () => Promise<void> }> {
  const end = async () => {};
  const [, made] = /^new (.*)/.exec(name) ?? [];
  const exported = library as unknown as Record<string, new (...args: readonly unknown[]) => object>;
  if (made !== undefined)
    return { end, call: (...args) => new (exported[made] as (typeof exported)[string])(...args) };
  const [owner = "", method] = name.split(".");
  if (method === undefined) return { end, call: exported[name] as unknown as Call };
  const make = OBJECTS[owner];
  if (make === undefined) throw new Error(`OBJECTS of option-samples.ts has no ${owner}: add one.`);
  const object = (await make()) as Record<string, (...args: readonly unknown[]) => unknown>;
  return {
    call: (...args) => object[method]?.(...args),
    end: async () => {
      if (OPEN.test(owner)) await (object.stop ?? object.close)?.call(object);
    },
  };
}

function rightArguments({ name, parameters }: Signature): unknown[] {
  const given = ARGUMENTS[name]?.();
  return parameters.map(
    (parameter, index) =>
      given?.[index] ?? (parameter.isOptional ? undefined : types.sample(parameter.type, parameter.name)),
  );
}

function changed(parameter: Member, { path }: Place, value: unknown, given: unknown): unknown {
  return types.with(parameter.type, path.slice(1), value, given, parameter.name);
}

async function outcomeOf({ returns }: Signature, call: Call, args: readonly unknown[]): Promise<Outcome> {
  let returned: unknown;
  try {
    returned = call(...args);
  } catch (error) {
    return { error, isEarly: /^(?:Promise|AsyncGenerator|Listing)\b/.test(returns) };
  }
  try {
    if (returns.startsWith("AsyncGenerator")) return { value: await (returned as AsyncGenerator).next() };
    if (/^Promise\b/.test(returns)) return { value: await returned };
    if (!returns.startsWith("Listing")) return { value: returned };
    await (returned as AsyncIterable<unknown>)[Symbol.asyncIterator]().next();
    return { value: await returned };
  } catch (error) {
    return { error };
  } finally {
    // What a right call has begun.
    if (returns.startsWith("( ) => void")) (returned as () => void)();
    if (/^(?:ChannelReader|WantedLease)$/.test(returns)) await (returned as { leave(): unknown }).leave();
  }
}

function problemOf(
  name: string,
  { value, error, isEarly = false }: Outcome,
  { isRefused, isSent }: { isRefused: boolean; isSent: boolean },
): string | undefined {
  if (isEarly) return "it throws before it returns";
  if (error !== undefined) {
    if (!(error instanceof library.CrecError)) return `an error without a code: ${String(error)}`;
    if (!/[.)]$/.test(error.message)) return `no sentence: ${error.message}`;
    if (isRefused && !(error instanceof library.ArgumentError)) return `${error.name} ${error.code}`;
    return isRefused && isSent ? "a request was sent" : undefined;
  }
  if (!isRefused || ANSWERS.test(name)) return undefined;
  if (RESULTS.test(name)) return isVerified(value) ? "it counts as verified" : undefined;
  return "it is taken";
}

function isVerified(value: unknown): boolean {
  return typeof value === "object" && value !== null && "verified" in value && value.verified === true;
}
