// Values that no node should get, made by a seeded generator: the same seed makes the same values.

const { EventEmitter } = require("node:events");

const DEEP = 20_000;
const LONG = 1024 * 1024;
/** A megabyte of text takes its time in any program: few messages have one. */
const SHARE_OF_LONG = 1 / 2_000;
/** As frequent as each other value, they would take most of the time of a run: to make, to copy for Catch, to collect. */
const SHARE_OF_LARGE = 1 / 60;

/** @param {number} seed @returns {() => number} from 0 up to 1 */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function throws() {
  throw new Error("a value that throws");
}

function deep(isList) {
  let value = {};
  for (let level = 0; level < DEEP; level += 1) value = isList ? [value] : { nested: value };
  return value;
}

function cycle() {
  const value = { list: [] };
  value.self = value;
  value.list.push(value);
  return value;
}

const THEN = "then";
const POLLUTING = '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}';

/** What can be anywhere in a message. */
const ODD = [
  ...[undefined, null, true, false, 0, -0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e308],
  ...[
    "",
    " ",
    "0",
    "-1",
    "1e999",
    "0x",
    `0x${"f".repeat(64)}`,
    "null",
    "[]",
    "{}",
    POLLUTING,
    "\u0000",
    "\ud800",
  ],
  ...[
    "__proto__",
    "constructor",
    "../../../etc/passwd",
    "/channels/%2e%2e",
    "💥".repeat(50),
    "${HOME}",
    "a,b;c",
  ],
  ...["2026-02-30", "finalized", "watcher.event", "0f8fad5b-d9cb-469f-a165-70867728950e"],
  ...[
    10n ** 80n,
    -1n,
    Symbol("odd"),
    () => 1,
    throws,
    class Odd {},
    /odd/g,
    new Date(Number.NaN),
    new Date(8.64e15),
  ],
  ...[
    new Map([["a", 1]]),
    new Set([1]),
    new WeakMap(),
    new EventEmitter(),
    new Error("odd"),
    Promise.resolve(1),
  ],
  ...[new Uint8Array(32), new ArrayBuffer(8), new DataView(new ArrayBuffer(8))],
].map((value) => () => value);
ODD.push(
  () => Buffer.from([0xff, 0xfe, 0x00]),
  () => JSON.parse(POLLUTING),
  () => Object.assign(Object.create(null), { toString: undefined, a: 1 }),
  () => Object.freeze({ frozen: Object.freeze([1, 2]) }),
  () => Object.defineProperty({}, "getter", { get: throws, enumerable: true }),
  () => Object.defineProperty([], 0, { get: throws, enumerable: true }),
  () => ({ toString: throws, valueOf: throws, toJSON: throws, [Symbol.toPrimitive]: throws }),
  // Awaited by mistake, it never ends.
  () => ({ [THEN]() {} }),
  () => ({ [THEN]: throws }),
  () => ({ length: 2 ** 53, type: "Buffer", data: "odd" }),
  () => cycle(),
  () => new Proxy({}, { get: throws, has: throws, ownKeys: throws, getPrototypeOf: throws }),
);

const LARGE = [
  () => new Array(100_000),
  () => Array.from({ length: 5_000 }, (_, index) => index),
  () => Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`key${index}`, index])),
  () => deep(true),
  () => deep(false),
];

/** Properties that nodes read. */
const NAMES = [
  ...[
    "payload",
    "topic",
    "crec",
    "error",
    "parts",
    "_msgid",
    "to",
    "from",
    "reset",
    "channelId",
    "filter",
    "headers",
  ],
  ...["operationKey", "deadline", "delay", "reason", "name", "__proto__", "constructor", "toString", "then"],
];
const CREC = [
  ...[
    "event",
    "eventId",
    "operationId",
    "queryId",
    "watcherId",
    "walletId",
    "channelId",
    "digest",
    "verification",
  ],
  ...[
    "created",
    "delivery",
    "offset",
    "status",
    "test",
    "late",
    "redelivered",
    "walletOperationId",
    "__proto__",
  ],
];

/** @param {number} seed @param {object} sample a message that a node can work on */
function messagesOf(seed, sample) {
  const random = randomOf(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const odd = () => {
    const share = random();
    if (share < SHARE_OF_LONG) return "x".repeat(LONG);
    return pick(share < SHARE_OF_LONG + SHARE_OF_LARGE ? LARGE : ODD)();
  };
  const set = (target, name, value) =>
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });

  const nested = (level) => {
    if (level === 0 || random() < 0.5) return odd();
    const keys = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick([...NAMES, ...CREC]));
    if (random() < 0.3) return keys.map(() => nested(level - 1));
    const value = {};
    for (const key of keys) set(value, key, nested(level - 1));
    return value;
  };

  /** A message as it should be, with an odd value somewhere. */
  const altered = () => {
    const message = structuredClone(sample);
    let place = message;
    for (;;) {
      const keys = Object.keys(place);
      const key = keys.length === 0 ? "odd" : pick(keys);
      const next = place[key];
      if (typeof next !== "object" || next === null || random() < 0.3) {
        set(place, key, odd());
        return message;
      }
      place = next;
    }
  };

  return () => {
    if (random() < 0.5) return altered();
    const message = {};
    for (let left = 1 + Math.floor(random() * 5); left > 0; left -= 1) set(message, pick(NAMES), nested(3));
    if (random() < 0.7) {
      const crec = {};
      for (let left = 1 + Math.floor(random() * 4); left > 0; left -= 1) set(crec, pick(CREC), nested(2));
      set(message, "crec", crec);
    }
    // Node-RED itself reads the id before any node gets the message.
    if (random() < 0.05)
      Object.defineProperty(message, pick(NAMES.filter((name) => name !== "_msgid")), {
        get: throws,
        enumerable: true,
        configurable: true,
      });
    return random() < 0.05 ? Object.freeze(message) : message;
  };
}

module.exports = { messagesOf };
