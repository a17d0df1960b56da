// Tests that drive real processes, chains and browsers meet the noise of a shared machine: each gets a second try,
// and whoever needed it is named at the end, to be mended. What judges values alone gets none: there a failure that
// comes and goes is a find.
const DRIVES_PROCESSES = /[/\\](?:service[/\\]test|test[/\\](?:editor|e2e|examples|launcher|nodes))[/\\]/;

/** @type {string[]} */
const second = [];

export const mochaHooks = {
  /** @this {import("mocha").Context} */
  beforeAll() {
    this.test?.parent?.eachTest((test) => {
      if (DRIVES_PROCESSES.test(test.file ?? "")) test.retries(1);
    });
  },
  /** @this {import("mocha").Context} */
  afterEach() {
    const test = this.currentTest;
    if (test?.isPassed() && "_currentRetry" in test && Number(test._currentRetry) > 0) {
      second.push(test.fullTitle());
    }
  },
  afterAll() {
    for (const title of second) process.stdout.write(`  Passed at the second try only: ${title}\n`);
  },
};
