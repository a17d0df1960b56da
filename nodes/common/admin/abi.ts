import type { NodeAPI } from "node-red";
import type { Abi, AbiParameter } from "../../../src/index.ts";
import { valueNames } from "../../../src/protocol/abi-names.ts";
import type { ContractNode } from "../fields/config-nodes.ts";
import type { FlowNodes } from "../fields/flow-settings.ts";
import { type Library, loadLibrary } from "../library.ts";
import { nodeError, toCodedError } from "../shared/errors.ts";
import type {
  AbiAnswer,
  AbiChoice,
  Checked,
  EventChoice,
  FunctionChoice,
  ParameterChoice,
} from "../shared/form-types.ts";
import { splitNames } from "../shared/text.ts";
import { isReference } from "../shared/variables.ts";
import { answerForms, fieldsOf, problemOf, textIn } from "./answer.ts";
import { deployFirst, isDeployedWith } from "./deployed.ts";

/** More names than a contract has: each function is compared with all of them. */
const MOST_AMOUNTS = 100;
/** More than a person looks through. */
const MOST_CHOICES = 500;

/**
 * `POST /crec/abi/functions` and `/crec/abi/events`: what an ABI offers. They work on the text in the form, so before
 * the first deploy too; an ABI from the environment is that of the deployed contract. One that is being typed is
 * seldom whole, so what is wrong with it is an answer like any other.
 * `POST /crec/abi/check`: whether a value that is being typed fits its type.
 */
export function registerAbiReader(RED: NodeAPI): void {
  const offer = <T>(
    path: `/crec/${string}`,
    list: (library: Library, abi: Abi, amounts: string[]) => T[],
  ) => {
    answerForms(RED, "post", path, "crec.read", async ({ body }): Promise<AbiAnswer<T>> => {
      const { id, abi, amounts } = fieldsOf(body);
      const library = await loadLibrary();
      const text = typeof abi === "string" ? abi.trim() : "";
      const names = splitNames(typeof amounts === "string" ? amounts : "").slice(0, MOST_AMOUNTS);
      if (isReference(text))
        return { found: list(library, await deployedAbi(RED.nodes, textIn(id), text), names) };
      try {
        const { abi: read, unusable } = library.readAbi(text);
        const sentences = unusable.map(({ message }) => message);
        return {
          found: list(library, read, names),
          ...(sentences.length > 0 ? { unusable: sentences } : {}),
        };
      } catch (thrown) {
        const choices = choicesIn(library, text);
        if (choices.length < 2) throw thrown;
        return { ...problemOf(RED.log, thrown), choices };
      }
    });
  };
  offer("/crec/abi/functions", (library, abi, amounts): FunctionChoice[] =>
    library.listFunctions(abi).map(({ name, signature, inputs, stateMutability }) => {
      return { name, signature, inputs: markAmounts(library, inputs, amounts), stateMutability };
    }),
  );
  offer("/crec/abi/events", (library, abi, amounts): EventChoice[] =>
    library.listEvents(abi).map(({ name, signature, inputs, anonymous }) => {
      const hasTuples = library.eventsWithTuples([{ type: "event", name, inputs }]).length > 0;
      const marked = markAmounts(library, inputs, amounts);
      return {
        ...{ name, signature, inputs: marked },
        ...(anonymous ? { anonymous } : {}),
        ...(hasTuples ? { hasTuples } : {}),
      };
    }),
  );
  answerForms(RED, "post", "/crec/abi/check", "crec.read", async ({ body }) =>
    checkValue(await loadLibrary(), body),
  );
}

/** Marks the parameters that the library counts in tokens. */
function markAmounts(
  { amountsInTokens }: Library,
  inputs: readonly ParameterChoice[],
  amounts: readonly string[],
): ParameterChoice[] {
  const names = valueNames(inputs);
  const ones = Object.fromEntries(names.map((name) => [name, "1"]));
  const found = amountsInTokens(ones, inputs, 0, amounts) ?? {};
  return inputs.map((input, index) =>
    Object.hasOwn(found, names[index] ?? "") ? { ...input, isAmount: true } : input,
  );
}

/** Several ABIs of one text, each as text that holds only that one. */
function choicesIn({ listAbis, listEvents, listFunctions }: Library, text: string): AbiChoice[] {
  const abis = listAbis(text).slice(0, MOST_CHOICES);
  return abis.map(({ name, abi }, index) => ({
    name: name || String(index + 1),
    functions: listFunctions(abi).length,
    events: listEvents(abi).length,
    abi: `[\n${abi.map((item) => JSON.stringify(item)).join(",\n")}\n]`,
  }));
}

function deployedAbi(nodes: FlowNodes, id: string, reference: string): Promise<Abi> {
  const contract = (nodes.getNode(id) as Partial<ContractNode> | null)?.contract;
  return contract && isDeployedWith(nodes, id, "abi", reference) ? contract.abi() : deployFirst(reference);
}

const INTEGER = /^u?int\d*$/;
/** What places there can be for parts within parts, and dimensions of an array: more than any contract has. */
const DEEPEST = 16;

/**
 * Judges a typed-in value as a message's way through the node would. What is only known at run time passes: a
 * reference is not even looked at, since this must not read variables of this machine.
 * @param question a `ValueCheck`, as it came over the network
 * @throws what is wrong with the value: INVALID_ARGUMENT and its kin
 */
export function checkValue(library: Library, question: unknown): Checked {
  const { name, value, valueType, unit, decimals, hexOnly, ...rest } = fieldsOf(question);
  const text = typeof value === "string" ? value : "";
  const path = typeof name === "string" && name !== "" ? name : "The value";
  if (isReference(text.trim())) return {};
  const parameter = parameterOf(rest);
  const given = givenAs(text, valueType, path);
  if (given === undefined) return {};
  const places = typeof decimals === "number" ? decimals : undefined;
  if (parameter.type.startsWith("bytes") && !parameter.type.endsWith("]")) {
    const bytes = hexOnly === true ? given : library.textToBytes(given, parameter, path);
    return checkedBytes(library, parameter, given, bytes, path);
  }
  const whole =
    unit === "token"
      ? library.parseTokenAmounts(given, parameter.type, places, path)
      : library.textToBytes(given, parameter, path);
  library.encodeValue(parameter, whole, path);
  if (places === undefined || !INTEGER.test(parameter.type)) return {};
  const smallest = BigInt(String(whole));
  return { smallest: String(smallest), tokens: library.fromSmallestUnit(smallest, places) };
}

/** How many bytes were typed, and what is sent for text, which fixed bytes fill up with zeros. */
function checkedBytes(
  library: Library,
  parameter: AbiParameter,
  given: unknown,
  bytes: unknown,
  path: string,
): Checked {
  const [hex] = library.decodeValues([parameter], library.encodeValue(parameter, bytes, path));
  const isText = given !== bytes;
  const count = isText ? Buffer.byteLength(String(given)) : (String(hex).length - 2) / 2;
  return { bytes: { count, ...(isText ? { hex: String(hex) } : {}) } };
}

/** Undefined where it cannot be known before a message comes. */
function givenAs(text: string, valueType: unknown, path: string): unknown {
  switch (valueType) {
    case "str":
    case "bool":
      return text;
    case "num":
      return Number(text);
    case "json":
      try {
        return JSON.parse(text);
      } catch (cause) {
        const why = toCodedError(cause).message.replace(/[.\s]+$/, "");
        throw nodeError("INVALID_ARGUMENT", `${path} is not JSON: ${why}.`, cause);
      }
    default:
      return undefined;
  }
}

function parameterOf(given: unknown, depth = 0): AbiParameter {
  const { name, type, components } = fieldsOf(given);
  if (typeof type !== "string" || depth > DEEPEST || type.split("[").length - 1 > DEEPEST) {
    throw nodeError("INVALID_ARGUMENT", "There is no such type.");
  }
  const parts = Array.isArray(components) ? components : [];
  return {
    name: typeof name === "string" ? name : "",
    type,
    ...(type.startsWith("tuple") ? { components: parts.map((part) => parameterOf(part, depth + 1)) } : {}),
  };
}
