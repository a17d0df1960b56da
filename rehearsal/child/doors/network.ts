import dgram from "node:dgram";
import dns from "node:dns";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { close, closeAll, closeAllAsync, closeAsync } from "./close.ts";

// Sockets are closed twice: the functions of the modules, for an error that says what was called; and below them, the
// methods of the native handles that all of them use, in any module and any package.

const CONNECT = ["connect", "connect6"];
const BIND = ["bind", "bind6", "listen", "open"];
const SEND = ["send", "send6"];
const GROUPS = ["addMembership", "addSourceSpecificMembership"];
/** Of dns. They only read what is set. */
const READ_SETTINGS = ["getServers", "getDefaultResultOrder", "cancel", "Resolver"];

/** Closes sockets of every kind, name lookups and servers. What is open stays open. */
export function closeNetwork(): void {
  // Their pipes are opened when they are first used.
  void [process.stdout, process.stderr];
  closeHandles();
  closeModules();
  closeAsync(globalThis, "globalThis", ["fetch"]);
  close(globalThis, "globalThis", ["WebSocket", "EventSource", "WebTransport"]);
}

function closeModules(): void {
  close(net, "net", ["connect", "createConnection", "_createServerHandle", "BoundSocket"]);
  close(net.Socket.prototype, "net.Socket", ["connect"]);
  close(net.Server.prototype, "net.Server", ["listen", "_listen2"]);
  close(tls, "tls", ["connect"]);
  close(http, "http", ["request", "get", "WebSocket"]);
  close(https, "https", ["request", "get"]);
  close(http2, "http2", ["connect"]);
  close(dgram, "dgram", ["createSocket", "_createSocketHandle"]);
  close(dgram.Socket.prototype, "dgram.Socket", ["bind", "connect", "send"]);
  closeAll(dns.Resolver.prototype, "dns.Resolver", READ_SETTINGS);
  closeAllAsync(dns.promises.Resolver.prototype, "dns.promises.Resolver", READ_SETTINGS);
  closeAll(dns, "dns", READ_SETTINGS);
  closeAllAsync(dns.promises, "dns.promises", READ_SETTINGS);
}

function closeHandles(): void {
  close(tcpHandle(), "TCP", [...CONNECT, ...BIND]);
  close(pipeHandle(), "Pipe", [...CONNECT, ...BIND, "fchmod"]);
  close(udpHandle(), "UDP", [...CONNECT, ...BIND, ...SEND, ...GROUPS]);
  closeAll(resolverHandle(), "dns.Resolver", READ_SETTINGS);
}

// The prototypes of the native handles. Nothing is connected, bound or looked up to get them.

/** A socket has its handle while it looks a name up, which this one never ends. */
function tcpHandle(): object {
  return handleOf("TCP", { host: "localhost", port: 1, lookup: () => {} });
}

/** A socket has its handle before it knows that there is no such pipe. */
function pipeHandle(): object {
  const isWindows = process.platform === "win32";
  return handleOf("Pipe", { path: isWindows ? String.raw`\\.\pipe\no-such-pipe` : "no-such-pipe" });
}

function handleOf(name: string, to: net.NetConnectOpts): object {
  const socket = new net.Socket().on("error", () => {});
  socket.connect(to);
  const prototype = prototypeOf(name, (socket as unknown as { _handle: unknown })._handle);
  socket.destroy();
  return prototype;
}

function udpHandle(): object {
  const socket = dgram.createSocket("udp4");
  const states = Object.getOwnPropertySymbols(socket).map((key) => Reflect.get(socket, key) as unknown);
  const state = states.find((value) => typeof value === "object" && value !== null && "handle" in value);
  const prototype = prototypeOf("UDP", (state as { handle?: unknown } | undefined)?.handle);
  socket.close();
  return prototype;
}

function resolverHandle(): object {
  return prototypeOf("ChannelWrap", (new dns.Resolver() as unknown as { _handle: unknown })._handle);
}

/** A Node.js that is built in another way must not leave a door open. */
function prototypeOf(name: string, handle: unknown): object {
  const prototype: unknown = handle && Object.getPrototypeOf(handle);
  if ((prototype as object | undefined)?.constructor?.name === name) return prototype as object;
  throw new Error(
    `The network cannot be closed on Node.js ${process.version}: ${name} was not found. Rehearse with another version of Node.js, and report this.`,
  );
}
