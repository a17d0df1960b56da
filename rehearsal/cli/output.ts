/** Where the command writes: lines for people. What is wrong goes to `warn`. */
export type Output = { say(line: string): void; warn(line: string): void };
