// What a hostile function node could try. Each is the body of an async function, with what a function node has:
// `process` only by a constructor. `target` says where to.

/** Where attempts go: all of it belongs to the test. */
export type Target = {
  tcp: number;
  udp: number;
  dns: number;
  /** The path of a socket. */
  pipe: string;
  /** A folder that the process must not see. It has `secret.txt`. */
  outside: string;
  /** A process that counts SIGUSR2. */
  pid: number;
};

/** What must not happen, and how a test sees it. */
export type Reach = "tcp" | "udp" | "dns" | "pipe" | "file" | "signal" | "read" | "nothing";

export type Attempt = { name: string; reach: Reach; code: string };

const PROCESS = "const process = Buffer.constructor('return process')();";
const module = (name: string) => `${PROCESS} const it = process.getBuiltinModule(${JSON.stringify(name)});`;
const GLOBAL = "const global = Buffer.constructor('return globalThis')();";
const WAIT = "await new Promise((resolve) => setTimeout(resolve, 300));";
const URL_OF = "'http://127.0.0.1:' + target.tcp + '/'";
const STARTED = '\'const fs = require("fs"); fs.writeFileSync(process.argv[1], "x")\'';
const FILE = (name: string) => `target.outside + '/${name}'`;

export const ATTEMPTS: readonly Attempt[] = [
  tcp("net.connect", `${module("net")} it.connect(target.tcp, '127.0.0.1').on('error', () => {}); ${WAIT}`),
  tcp("net.Socket", `${module("net")} new it.Socket().on('error', () => {}).connect(target.tcp); ${WAIT}`),
  tcp(
    "the handle below a socket",
    `${module("net")}
     const socket = new it.Socket().on('error', () => {});
     try { socket.connect({ port: 1, host: 'x.invalid', lookup() {} }); } catch {}
     const { TCPConnectWrap } = process.binding('tcp_wrap');
     socket._handle.connect(new TCPConnectWrap(), '127.0.0.1', target.tcp); ${WAIT}`,
  ),
  tcp(
    "the handle below a server",
    `${module("net")}
     const handle = it._createServerHandle('127.0.0.1', 0, 4, -1, 0);
     const another = new handle.constructor(0);
     const { TCPConnectWrap } = process.binding('tcp_wrap');
     another.connect(new TCPConnectWrap(), '127.0.0.1', target.tcp); ${WAIT}`,
  ),
  tcp("tls.connect", `${module("tls")} it.connect(target.tcp, '127.0.0.1').on('error', () => {}); ${WAIT}`),
  tcp(
    "a TLS socket",
    `${module("tls")} const net = process.getBuiltinModule('net');
     new it.TLSSocket(new net.Socket()).on('error', () => {}).connect(target.tcp, '127.0.0.1'); ${WAIT}`,
  ),
  tcp("http.request", `${module("http")} it.request(${URL_OF}).on('error', () => {}).end(); ${WAIT}`),
  tcp("http.get", `${module("http")} it.get(${URL_OF}).on('error', () => {}); ${WAIT}`),
  tcp(
    "a client request of its own",
    `${module("http")} new it.ClientRequest(${URL_OF}).on('error', () => {}).end(); ${WAIT}`,
  ),
  tcp(
    "an agent",
    `${module("http")}
     const agent = new it.Agent();
     agent.createConnection({ port: target.tcp, host: '127.0.0.1' }).on('error', () => {}); ${WAIT}`,
  ),
  tcp(
    "https.get",
    `${module("https")} it.get('https://127.0.0.1:' + target.tcp).on('error', () => {}); ${WAIT}`,
  ),
  tcp("http2.connect", `${module("http2")} it.connect(${URL_OF}).on('error', () => {}); ${WAIT}`),
  tcp("fetch", `${GLOBAL} await global.fetch(${URL_OF}, { signal: global.AbortSignal.timeout(300) });`),
  tcp(
    "WebSocket",
    `${GLOBAL} new global.WebSocket('ws://127.0.0.1:' + target.tcp).onerror = () => {}; ${WAIT}`,
  ),
  tcp(
    "an import",
    `const load = Buffer.constructor('name', 'return process.getBuiltinModule("module").createRequire("/")(name)');
     load('net').createConnection(target.tcp, '127.0.0.1').on('error', () => {}); ${WAIT}`,
  ),
  refused(
    "what a module hides",
    `${module("net")} delete it.connect; delete it.Socket.prototype.connect;
     new it.Socket().on('error', () => {}).connect(target.tcp); ${WAIT}`,
  ),
  refused(
    "a descriptor",
    `${module("net")}
     Object.defineProperty(it.Socket.prototype, 'connect', { value: null });`,
  ),
  {
    name: "a local socket",
    reach: "pipe",
    code: `${module("net")} it.connect(target.pipe).on('error', () => {}); ${WAIT}`,
  },
  {
    name: "the handle of a local socket",
    reach: "pipe",
    code: `${PROCESS} const { Pipe, PipeConnectWrap } = process.binding('pipe_wrap');
     new Pipe(0).connect(new PipeConnectWrap(), target.pipe); ${WAIT}`,
  },
  {
    name: "the handle of the error output",
    reach: "pipe",
    code: `${PROCESS} const Pipe = process.stderr._handle.constructor;
     let request = {};
     try { request = new (process.binding('pipe_wrap').PipeConnectWrap)(); } catch {}
     new Pipe(0).connect(request, target.pipe); ${WAIT}`,
  },
  udp(
    "dgram.createSocket",
    `${module("dgram")} it.createSocket('udp4').send('x', target.udp, '127.0.0.1'); ${WAIT}`,
  ),
  udp("dgram.Socket", `${module("dgram")} new it.Socket('udp4').send('x', target.udp, '127.0.0.1'); ${WAIT}`),
  udp(
    "the handle below a UDP socket",
    `${PROCESS} const { UDP, SendWrap } = process.binding('udp_wrap');
     new UDP().send(new SendWrap(), [Buffer.from('x')], 1, target.udp, '127.0.0.1', false); ${WAIT}`,
  ),
  udp(
    "the handle inside a UDP socket",
    `${module("dgram")} const socket = new it.Socket('udp4');
     const key = Object.getOwnPropertySymbols(socket).find((each) => socket[each] && socket[each].handle);
     const { handle } = socket[key];
     let request = {};
     try { request = new (process.binding('udp_wrap').SendWrap)(); } catch {}
     handle.send(request, [Buffer.from('x')], 1, target.udp, '127.0.0.1', false); ${WAIT}`,
  ),
  dns(
    "dns.resolve",
    `${module("dns")} it.setServers(['127.0.0.1:' + target.dns]); it.resolve('a.example', () => {}); ${WAIT}`,
  ),
  dns(
    "a resolver",
    `${module("dns")} const one = new it.Resolver({ timeout: 200, tries: 1 });
     one.setServers(['127.0.0.1:' + target.dns]); one.resolve4('b.example', () => {}); ${WAIT}`,
  ),
  dns(
    "a resolver of promises",
    `${module("dns/promises")} const one = new it.Resolver({ timeout: 200, tries: 1 });
     await one.setServers(['127.0.0.1:' + target.dns]); await one.resolveTxt('c.example');`,
  ),
  dns(
    "the handle of a resolver",
    `${module("dns")} const one = new it.Resolver({ timeout: 200, tries: 1 });
     one._handle.setServers([[4, '127.0.0.1', target.dns]]);
     let request = {};
     try { request = new (process.binding('cares_wrap').QueryReqWrap)(); } catch {}
     one._handle.queryA(Object.assign(request, { oncomplete() {} }), 'd.example'); ${WAIT}`,
  ),
  refused("dns.lookup", `${module("dns")} await new Promise((resolve) => it.lookup('e.invalid', resolve));`),
  refused(
    "dns.promises.lookup",
    `${module("dns")} await it.promises.lookup('f.invalid').catch((e) => { if (e.code !== 'ENOTFOUND' && e.code !== 'EAI_AGAIN') throw e; });`,
  ),
  refused(
    "dns.lookupService",
    `${module("dns")} await new Promise((resolve) => it.lookupService('127.0.0.1', 80, resolve));`,
  ),
  refused("a server", `${module("http")} it.createServer().listen(0); ${WAIT}`),
  refused("a local server", `${module("net")} it.createServer().listen(target.outside + '/s'); ${WAIT}`),
  refused("the debugger", `${module("inspector")} it.open(0); it.close();`),
  refused("a session of the debugger", `${module("inspector")} new it.Session().connect();`),
  file(
    "spawn",
    `${module("child_process")} it.spawn(process.execPath, ['-e', ${STARTED}, ${FILE("spawn")}]).on('error', () => {}); ${WAIT}${WAIT}`,
  ),
  file(
    "execSync",
    `${module("child_process")} it.execFileSync(process.execPath, ['-e', ${STARTED}, ${FILE("exec")}]);`,
  ),
  file(
    "the class of processes",
    `${module("child_process")} const args = ['node', '-e', ${STARTED}, ${FILE("class")}];
     new it.ChildProcess().spawn({ file: process.execPath, args, stdio: 'ignore' }); ${WAIT}${WAIT}`,
  ),
  refused("the handle of a process", `${module("child_process")} new it.ChildProcess()._handle.spawn({});`),
  refused("the binding of programs", `${PROCESS} process.binding('spawn_sync').spawn({});`),
  refused("fork", `${module("cluster")} it.setupPrimary({ exec: '/x' }); it.fork();`),
  file(
    "a worker",
    `${module("worker_threads")}
     new it.Worker('require("fs").writeFileSync(require("worker_threads").workerData, "x")', { eval: true, workerData: ${FILE("worker")} }).on('error', () => {}); ${WAIT}`,
  ),
  file(
    "module hooks",
    `${module("module")} it.register('data:text/javascript,' + encodeURIComponent('import fs from "node:fs"; fs.writeFileSync(' + JSON.stringify(${FILE("hooks")}) + ', "x")')); ${WAIT}`,
  ),
  file(
    "WASI",
    `${module("wasi")} new it.WASI({ version: 'preview1', preopens: { '/': target.outside } }); process.getBuiltinModule('fs').writeFileSync(${FILE("wasi")}, 'x');`,
  ),
  file("a file", `${module("fs")} it.writeFileSync(${FILE("file")}, 'x');`),
  file("a file by a promise", `${module("fs/promises")} await it.writeFile(${FILE("promise")}, 'x');`),
  file(
    "a link",
    `${module("fs")} it.symlinkSync(target.outside, 'link'); it.writeFileSync('link/linked', 'x');`,
  ),
  file(
    "a path upwards",
    `${module("fs")} it.writeFileSync('../'.repeat(30) + target.outside.slice(1) + '/up', 'x');`,
  ),
  file(
    "a database",
    `${module("node:sqlite")} new it.DatabaseSync(${FILE("db")}).exec('create table a(b)');`,
  ),
  refused("a descriptor of its parent", `${module("fs")} it.writeSync(3, 'x');`),
  refused("a stream on a descriptor", `${module("fs")} new it.WriteStream(null, { fd: 3 }).end('x');`),
  refused("a terminal on a descriptor", `${module("tty")} new it.WriteStream(3);`),
  refused("the class of the output", `${PROCESS} new process.stdout.constructor(3).write('x');`),
  refused(
    "internalBinding",
    `${module("module")} it.createRequire('/')('internal/test/binding').internalBinding('fs');`,
  ),
  file(
    "the constructor of modules",
    `${module("module")} const one = new (new it('x').constructor)('x');
     one._compile('require("fs").writeFileSync(' + JSON.stringify(${FILE("constructor")}) + ', "x")', '/x.js');`,
  ),
  file(
    "a loader of its own",
    `${module("module")} it._load('fs', null, false).writeFileSync(${FILE("loader")}, 'x');`,
  ),
  file(
    "a second realm",
    `${module("vm")} const given = { process, path: ${FILE("realm")} };
     it.runInNewContext('process.getBuiltinModule("fs").writeFileSync(path, "x")', given);`,
  ),
  file(
    "an import of a script",
    `${module("vm")} const importModuleDynamically = it.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
     const loaded = await new it.Script('import("fs")', { importModuleDynamically }).runInThisContext();
     loaded.writeFileSync(${FILE("script")}, 'x');`,
  ),
  file(
    "hooks in its own thread",
    `${module("module")} it.registerHooks({ resolve(name, context, next) { return next(name === 'hooked' ? 'node:fs' : name, context); } });
     it.createRequire('/')('hooked').writeFileSync(${FILE("own-hooks")}, 'x');`,
  ),
  refused(
    "a run of tests",
    `${module("node:test")} const all = it.run({ files: [process.cwd() + '/x.test.mjs'], isolation: 'process' });
     const failure = await new Promise((resolve) => {
       all.on('test:fail', ({ details }) => resolve(details.error)).on('error', resolve).resume();
     });
     throw failure.cause ?? failure;`,
  ),
  file("a heap snapshot", `${module("v8")} it.writeHeapSnapshot(${FILE("heap")});`),
  file("a report", `${PROCESS} process.report.writeReport(${FILE("report")});`),
  refused(
    "another program in its place",
    `${PROCESS} if (!process.execve) throw new Error('not there'); process.execve('/nowhere', ['x'], {});`,
  ),
  read("a secret file", `${module("fs")} return it.readFileSync(target.outside + '/secret.txt', 'utf8');`),
  read(
    "a secret file by a promise",
    `${module("fs/promises")} return await it.readFile(target.outside + '/secret.txt', 'utf8');`,
  ),
  read("the names of a folder", `${module("fs")} return it.readdirSync(target.outside).join();`),
  read(
    "the parent's environment",
    `${module("fs")} return it.readFileSync('/proc/' + process.ppid + '/environ', 'utf8');`,
  ),
  read("its environment", `${PROCESS} return JSON.stringify(process.env);`),
  read(
    "an env file",
    `${PROCESS} process.loadEnvFile(target.outside + '/secret.txt'); return JSON.stringify(process.env);`,
  ),
  read(
    "a blob of a file",
    `${module("fs")} return await (await it.openAsBlob(target.outside + '/secret.txt')).text();`,
  ),
  { name: "process.kill", reach: "signal", code: `${PROCESS} process.kill(target.pid, 'SIGUSR2'); ${WAIT}` },
  {
    name: "process._kill",
    reach: "signal",
    code: `${PROCESS} process._kill(target.pid, process.getBuiltinModule('os').constants.signals.SIGUSR2); ${WAIT}`,
  },
  refused("the debugger of another process", `${PROCESS} process._debugProcess(process.pid);`),
  refused("native code", `${PROCESS} process.dlopen({ exports: {} }, target.outside + '/x.node');`),
  refused("a native module", `${module("module")} it.createRequire('/')(target.outside + '/x.node');`),
  refused("a binding", `${PROCESS} process.binding('fs');`),
  refused("a linked binding", `${PROCESS} process._linkedBinding('x');`),
  refused("the user", `${PROCESS} process.setuid(process.getuid());`),
  refused("flags of V8", `${module("v8")} it.setFlagsFromString('--no-opt');`),
  refused("the pipe to the parent", `${PROCESS} return process._getActiveHandles().map(String).join();`),
  refused("IPC", `${PROCESS} process.send({ kind: 'report' });`),
  refused("priority", `${module("os")} it.setPriority(target.pid, 19);`),
];

function tcp(name: string, code: string): Attempt {
  return { name, reach: "tcp", code };
}
function udp(name: string, code: string): Attempt {
  return { name, reach: "udp", code };
}
function dns(name: string, code: string): Attempt {
  return { name, reach: "dns", code };
}
function file(name: string, code: string): Attempt {
  return { name, reach: "file", code };
}
function read(name: string, code: string): Attempt {
  return { name, reach: "read", code };
}
/** Seen only by the error that it ends with. */
function refused(name: string, code: string): Attempt {
  return { name, reach: "nothing", code };
}
