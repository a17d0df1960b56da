// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Readings of sensors, as an IoT pipeline would put them on a chain.
contract SensorRegistry {
    struct Reading {
        int256 value;
        uint64 takenAt;
        uint8 quality;
        bool alarm;
    }

    mapping(bytes32 sensorId => Reading) public latest;

    /// `value` is in thousandths of `unit`; `takenAt` in Unix seconds; `quality` in percent.
    event SensorReading(
        bytes32 indexed sensorId,
        address indexed reporter,
        int256 value,
        uint64 takenAt,
        uint8 quality,
        bool alarm,
        string unit,
        bytes payload
    );
    /// Several samples at once.
    event SensorBatch(bytes32 indexed sensorId, string indexed site, int64[] samples, Reading last);

    error StaleReading(uint64 takenAt, uint64 latestTakenAt);
    error NoSamples();

    function report(
        bytes32 sensorId,
        int256 value,
        uint64 takenAt,
        uint8 quality,
        bool alarm,
        string calldata unit,
        bytes calldata payload
    ) external {
        _store(sensorId, Reading(value, takenAt, quality, alarm));
        emit SensorReading(sensorId, msg.sender, value, takenAt, quality, alarm, unit, payload);
    }

    function reportBatch(bytes32 sensorId, string calldata site, int64[] calldata samples, uint64 takenAt) external {
        if (samples.length == 0) revert NoSamples();
        Reading memory last = Reading(samples[samples.length - 1], takenAt, 100, false);
        _store(sensorId, last);
        emit SensorBatch(sensorId, site, samples, last);
    }

    function _store(bytes32 sensorId, Reading memory reading) private {
        uint64 newest = latest[sensorId].takenAt;
        if (reading.takenAt < newest) revert StaleReading(reading.takenAt, newest);
        latest[sensorId] = reading;
    }
}
