// Coverage is measured in the process of the tests: children would each write as much again.
delete process.env.NODE_V8_COVERAGE;
