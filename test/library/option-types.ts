import type { Member, Report, Type } from "./api-report.ts";

// What a type of the report takes: enough to say which values it refuses, and to make one that it takes.

/** The types of what the service or a chain has said: any of it may be missing or of another form. */
const DATA = new Set(
  `Abi AbiParameter AbiInput EventFragment EventEnvelope ChannelEvent Query Operation OperationRequest NamedOperation
  DecodedWatcherEvent CursorState SignedFacts OcrProof OperationTypedData VerifyConfig Fields RaisedAlert`.split(
    /\s+/,
  ),
);

/** A part of an argument: `path` leads to it, such as `["pollMs", "min"]`. */
export type Place = { path: string[]; type: Type; isData: boolean; takesNothing: boolean };

const ANY: Type = { kind: "any" };
const NOTHING: Type = { kind: "primitive", name: "undefined" };
const DEEPEST = 4;

export class OptionTypes {
  readonly #report: Report;
  readonly #samples: Readonly<Record<string, unknown>>;

  /** `samples`: values by the name of their type, or of a member where its type does not say enough. */
  constructor(report: Report, samples: Readonly<Record<string, unknown>>) {
    this.#report = report;
    this.#samples = samples;
  }

  /** A parameter, and all that is in it. */
  places({ name, isOptional, type }: Member): Place[] {
    const places = new Map<string, Place>();
    for (const place of this.#placesIn(type, [name], { isData: false, takesNothing: isOptional })) {
      const key = place.path.join(".");
      const known = places.get(key);
      // The same member of another alternative.
      const both: Type = { kind: "union", types: [known?.type ?? place.type, place.type] };
      places.set(key, known ? { ...known, type: both } : place);
    }
    return [...places.values()];
  }

  #placesIn(type: Type, path: string[], how: { isData: boolean; takesNothing: boolean }): Place[] {
    const isData = how.isData || this.#isData(type);
    const takesNothing = how.takesNothing || this.fits(type, undefined);
    const here = { path, type, isData, takesNothing };
    if (path.length > DEEPEST || how.isData) return [here];
    const alternatives = type.kind === "union" ? type.types : [type];
    const branches = alternatives.flatMap((one) =>
      this.#branches(one).map((branch) => ({ branch, isData: isData || this.#isData(one) })),
    );
    const owners = (name: string) =>
      branches.filter(({ branch }) => this.#membersOf(branch)?.some((member) => member.name === name)).length;
    const objects = branches.filter(({ branch }) => branch.kind === "object").length;
    const within = branches.flatMap(({ branch, isData: isKnown }) => {
      if (branch.kind === "list") {
        return this.#placesIn(branch.item, [...path, "0"], { isData: isKnown, takesNothing: false });
      }
      return (this.#membersOf(branch) ?? []).flatMap((member) => {
        // Without it, the object may be another alternative.
        const takesNone = member.isOptional || owners(member.name) < objects;
        return this.#placesIn(member.type, [...path, member.name], {
          isData: isKnown,
          takesNothing: takesNone,
        });
      });
    });
    return [here, ...within];
  }

  /** Whether a value may be of the type. A number that is NaN is none. */
  fits(type: Type, value: unknown): boolean {
    try {
      return this.#branches(type).some((branch) => this.#fitsOne(branch, value));
    } catch {
      // A hostile value, which cannot be looked at.
      return false;
    }
  }

  #fitsOne(type: Type, value: unknown): boolean {
    if (type.kind === "any") return true;
    if (type.kind === "literal") return type.value === value;
    if (type.kind === "function") return typeof value === "function";
    if (type.kind === "list") return Array.isArray(value) && value.every((one) => this.fits(type.item, one));
    if (type.kind === "primitive") {
      if (type.name === "null") return value === null;
      if (type.name === "number") return typeof value === "number" && !Number.isNaN(value);
      return type.name === "void" ? value === undefined : typeof value === type.name;
    }
    if (type.kind === "named") {
      if (type.name === "AbortSignal") return value instanceof AbortSignal;
      if (type.name === "Uint8Array") return value instanceof Uint8Array;
      if (type.name === "Record") return isPlain(value) && Object.keys(value).length === 0;
      if (type.name === "AsyncIterable")
        return typeof (value as AsyncIterable<unknown>)[Symbol.asyncIterator] === "function";
      return false;
    }
    const members = this.#membersOf(type) ?? [];
    if (!isPlain(value)) return false;
    // A name that it does not know is read, too.
    void value.anything;
    return members.every(
      (member) =>
        (member.isOptional && value[member.name] === undefined) || this.fits(member.type, value[member.name]),
    );
  }

  /** A value of the type, without what is optional. */
  sample(type: Type, name = ""): unknown {
    const known = type.kind === "named" ? `${type.name}` : "";
    for (const named of [known, name]) if (Object.hasOwn(this.#samples, named)) return this.#samples[named];
    const [branch = ANY] = this.#branches(type).filter((one) => one !== NOTHING);
    if (branch !== type && branch.kind === "named") return this.sample(branch, name);
    if (branch.kind === "literal") return branch.value;
    if (branch.kind === "function") return () => undefined;
    if (branch.kind === "list") return [this.sample(branch.item, name)];
    if (branch.kind === "primitive")
      return { string: "text", number: 1_000, boolean: true, bigint: 1n, null: null }[branch.name];
    if (branch.kind === "named") return branch.name === "AbortSignal" ? new AbortController().signal : {};
    const members = this.#membersOf(branch)?.filter(({ isOptional }) => !isOptional) ?? [];
    return Object.fromEntries(members.map((member) => [member.name, this.sample(member.type, member.name)]));
  }

  /** A value of the type with another one at a place in it. */
  with(type: Type, path: readonly string[], value: unknown, given: unknown, name = ""): unknown {
    const [first, ...rest] = path;
    if (first === undefined) return value;
    const base = given ?? this.sample(type, name);
    const branches = this.#branches(type);
    const list = branches.find((branch) => branch.kind === "list");
    if (list?.kind === "list" && /^\d+$/.test(first))
      return [this.with(list.item, rest, value, (base as unknown[])[0], name)];
    const owner = branches.find((branch) => this.#membersOf(branch)?.some((member) => member.name === first));
    const member = owner && this.#membersOf(owner)?.find((one) => one.name === first);
    const fitting =
      owner === undefined || (given !== undefined && this.fits(owner, base)) || branches.length === 1
        ? base
        : this.sample(owner);
    const inner = (fitting as Record<string, unknown>)[first];
    return { ...(fitting as object), [first]: this.with(member?.type ?? ANY, rest, value, inner, first) };
  }

  #isData(type: Type): boolean {
    if (type.kind === "named") {
      if (DATA.has(type.name)) return true;
      const known = this.#report.types.get(type.name);
      return known !== undefined && type.name !== "[]" && this.#isData(known.type);
    }
    if (type.kind === "list") return this.#isData(type.item);
    return type.kind === "union" && type.types.every((one) => this.#isData(one) || isNothing(one));
  }

  /** The alternatives of a type, each without a name. */
  #branches(type: Type): Type[] {
    if (type.kind === "union") return type.types.flatMap((one) => this.#branches(one));
    if (type.kind === "both") {
      // A union within an intersection.
      const parts = type.types.map((one) => this.#branches(one));
      return parts.reduce<Type[]>(
        (sofar, more) => sofar.flatMap((one) => more.map((other) => joined(one, other))),
        [{ kind: "object", members: [] }],
      );
    }
    if (type.kind !== "named") return [isNothing(type) ? NOTHING : type];
    const { name, of } = type;
    const [first = ANY] = of;
    if (name === "Array" || name === "ReadonlyArray") return [{ kind: "list", item: first }];
    if (name === "Open") return [{ kind: "primitive", name: "string" }];
    if (name === "Readonly") return this.#branches(first);
    if (name === "Partial" || name === "Omit" || name === "Pick") {
      return this.#branches(first).map((branch) => ({
        kind: "object",
        members: this.#changed(name, branch, of),
      }));
    }
    if (name === "[]") {
      const member = this.#branches(first)
        .flatMap((branch) => this.#membersOf(branch) ?? [])
        .find((one) => of[1]?.kind === "literal" && one.name === of[1].value);
      return member ? this.#branches(member.type) : [ANY];
    }
    const known = this.#report.types.get(name);
    if (known === undefined)
      return /^(AbortSignal|Uint8Array|Record|AsyncIterable|tuple|class )/.test(name) ? [type] : [ANY];
    const given = new Map(known.parameters.map((parameter, index) => [parameter, of[index] ?? ANY]));
    return this.#branches(substituted(known.type, given));
  }

  #changed(name: string, branch: Type, of: readonly Type[]): Member[] {
    const members = this.#membersOf(branch) ?? [];
    if (name === "Partial") return members.map((member) => ({ ...member, isOptional: true }));
    const names = (of[1]?.kind === "union" ? of[1].types : [of[1]]).flatMap((one) =>
      one?.kind === "literal" ? String(one.value) : [],
    );
    return members.filter((member) => names.includes(member.name) === (name === "Pick"));
  }

  #membersOf(type: Type): Member[] | undefined {
    return type.kind === "object" ? type.members : undefined;
  }
}

function joined(one: Type, other: Type): Type {
  if (one.kind !== "object") return other.kind === "object" && other.members.length === 0 ? one : ANY;
  if (other.kind !== "object") return one.members.length === 0 ? other : one;
  return { kind: "object", members: [...one.members, ...other.members] };
}

function substituted(type: Type, given: ReadonlyMap<string, Type>): Type {
  if (given.size === 0) return type;
  const of = (one: Type) => substituted(one, given);
  if (type.kind === "named") return given.get(type.name) ?? { ...type, of: type.of.map(of) };
  if (type.kind === "union" || type.kind === "both") return { ...type, types: type.types.map(of) };
  if (type.kind === "list") return { ...type, item: of(type.item) };
  if (type.kind !== "object") return type;
  return { ...type, members: type.members.map((member) => ({ ...member, type: of(member.type) })) };
}

function isNothing(type: Type): boolean {
  return type.kind === "primitive" && (type.name === "undefined" || type.name === "void");
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
