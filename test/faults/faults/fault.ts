import type { IncomingHttpHeaders, ServerResponse } from "node:http";

/** What the service answered to a request, before the fault. */
export type Answered = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** A request whose answer a fault takes over. */
export type Struck = {
  response: ServerResponse;
  /** Absent where the fault keeps the request from the service. */
  answered: Answered | undefined;
  /** The `Authorization` of the request: a careless service repeats it. */
  authorization: string;
};

/** What a fault of the address does to the server. */
export type Address = {
  stopListening(): Promise<void>;
  listenAgain(): Promise<void>;
  forgetName(): Promise<void>;
  rememberName(): Promise<void>;
  changeCertificate(to: "trusted" | "untrusted"): Promise<void>;
};

export type Fault = {
  /** As the table names it. */
  name: string;
  /** Whether the service gets the request, and acts, before its answer is lost or changed. */
  acts: boolean;
  /** Whether a call that only reads is tried again. */
  passes: boolean;
  /** The codes that a single call may fail with. */
  codes: readonly string[];
  /** Of a fault of the address: what makes it, and what ends it. Such a fault is for all requests. */
  begin?: (server: Address) => Promise<void>;
  end?: (server: Address) => Promise<void>;
  /** Of a fault of an answer. */
  answer?: (struck: Struck) => void;
  /** Whether each attempt lasts until its own deadline. */
  isSlow?: boolean;
};
