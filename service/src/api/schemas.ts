import Type, { type TProperties, type TSchema } from "typebox";
import { ADDRESS_PATTERN, LIMITS } from "../../../src/protocol/index.ts";
import { invalid } from "../errors.ts";

// `description` completes the sentence "<field> must be …" of a validation error.

export const ID_PATTERN = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$";

/** Compared without case: the validator converts it to lower case. */
export const Id = Type.String({
  pattern: ID_PATTERN,
  description: "a UUID",
});

export const Address = Type.String({
  pattern: ADDRESS_PATTERN.source,
  description: "an address: 0x and 40 hex digits",
});

/** See `uint256`. */
export const Amount = Type.String({
  pattern: "^[0-9]{1,78}$",
  description: "an amount in the smallest unit, in decimal digits",
});

const UINT256_LIMIT = 2n ** 256n;

/**
 * The number of a field in decimal digits.
 *
 * @throws ApiError 400 when it does not fit 256 bits.
 */
export function uint256(field: string, digits: string): bigint {
  const number = BigInt(digits);
  if (number >= UINT256_LIMIT) throw invalid(`${field} must fit 256 bits.`);
  return number;
}

export const Name = Type.String({
  minLength: 1,
  maxLength: LIMITS.nameLength,
  pattern: "\\S",
  description: `a text of 1 to ${LIMITS.nameLength} characters that is not blank`,
});

/** A blank text is refused, so a description can be changed and not removed. */
export const Description = Type.String({
  minLength: 1,
  maxLength: LIMITS.descriptionLength,
  pattern: "\\S",
  description: `a text of 1 to ${LIMITS.descriptionLength} characters that is not blank`,
});

export const ChainSelector = Type.String({
  pattern: "^[0-9]{1,20}$",
  description: "a chain selector in decimal digits",
});

export const ChainEnvironment = oneOf(["mainnet", "testnet"]);

/** The path of what is in a channel. */
export const ChannelParams = Type.Object({ channel_id: Id });

/** Filters of lists of what is on a network. */
export const NETWORK_FILTERS = {
  chain_selector: Type.Optional(ChainSelector),
  chain_environment: Type.Optional(ChainEnvironment),
};

/** A filter of lists. */
export const NamePart = Type.Optional(Type.String({ description: "a part of the name, without case" }));

/** A filter that may be repeated. */
export function many<T extends TSchema>(item: T) {
  return Type.Optional(Type.Array(item));
}

export function oneOf<const T extends readonly string[]>(values: T) {
  const description = `one of ${values.join(", ")}`;
  return Type.Unsafe<T[number]>({ type: "string", enum: [...values], description });
}

/** Offsets, up to the largest exact number. */
export const OFFSET_RANGE = {
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "a whole number of 0 or more, below 2^53",
};

/** A filter whose other values find nothing, or in strict mode are refused. */
export function filterOf(values: readonly string[], strict: boolean) {
  return Type.Unsafe<string>(strict ? oneOf(values) : Type.String());
}

/** An object without additional fields. */
export const STRICT = { additionalProperties: false } as const;

/** A whole number; `more` says what it is for. */
export function wholeNumber(minimum: number, maximum: number, byDefault: number, more = "") {
  const description = `a whole number from ${minimum} to ${maximum}${more}`;
  return Type.Integer({ minimum, maximum, default: byDefault, description });
}

/** How many times something happens, under /local. */
export function times(what: string) {
  return wholeNumber(1, 1_000_000, 1, `: how many ${what}`);
}

export function milliseconds(byDefault: number) {
  return Type.Integer({
    minimum: 0,
    maximum: 600_000,
    default: byDefault,
    description: "a whole number of milliseconds from 0 to 600000",
  });
}

/** Query parameters of a list: its filters, `limit` and `offset`. */
export function listQuery<T extends TProperties>(limits: { max: number; default: number }, filters: T) {
  return Type.Object({
    ...filters,
    limit: wholeNumber(1, limits.max, limits.default),
    offset: Type.Integer({ ...OFFSET_RANGE, default: 0 }),
  });
}
