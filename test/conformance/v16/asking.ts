// OCPP 1.6: what the CSMS asks of the charger itself: its configuration, messages, data of its maker.

import { type Group, theCase } from '../case.ts';
import { absent, expectTrue, present } from '../expecting.ts';

const first = { connectorId: 1 };

export const configuration: Group = {
  name: 'configuration',
  cases: [
    theCase(
      'TC_019_CS',
      'the configuration is read',
      {
        given: 'a charger with two connectors',
        when: 'the CSMS asks for everything, then for two keys, one of which there is not',
        follows: 'all keys with value and access, never the password; then the one, and the other as unknown',
      },
      async ({ csms }) => {
        const { configurationKey } = await csms.send('GetConfiguration', {}, { unknownKey: absent });
        const keys = new Map(configurationKey.map((row: { key: string }) => [row.key, row]));
        for (const key of required) expectTrue(keys.has(key), `${key} is missing`);
        expectTrue(
          JSON.stringify(keys.get('AuthorizationKey') ?? {}).includes('value') === false,
          'the password is told',
        );
        const one = { configurationKey: [{ key: 'NumberOfConnectors', readonly: true, value: '2' }] };
        const asked = { key: ['NumberOfConnectors', 'NoSuchKey'] };
        await csms.send('GetConfiguration', asked, { ...one, unknownKey: ['NoSuchKey'] });
      },
      { connectors: 2 },
    ),
    theCase(
      'TC_021_CS',
      'the configuration is changed',
      {
        given: 'a charging car',
        when: 'the CSMS sets MeterValueSampleInterval to 15 and reads it',
        follows: 'Accepted, the new value, and a sample every 15 s from the next on',
      },
      async ({ station, csms }) => {
        const key = 'MeterValueSampleInterval';
        await csms.configure(key, '15');
        await csms.send(
          'GetConfiguration',
          { key: [key] },
          { configurationKey: [{ key, readonly: false, value: '15' }] },
        );
        await station.charges();
        await station.waitS(45);
        const samples = csms.heard('MeterValues');
        expectTrue(samples.length === 3, `${samples.length} samples in 45 s`);
      },
    ),
    theCase(
      'TC_040_1_CS',
      'a key is set that there is not',
      { given: 'an idle charger', when: 'the CSMS sets a key of no meaning', follows: 'NotSupported' },
      async ({ csms }) => {
        await csms.send('ChangeConfiguration', { key: 'NoSuchKey', value: '1' }, { status: 'NotSupported' });
      },
    ),
    theCase(
      'TC_040_2_CS',
      'a key is set to what it cannot be',
      {
        given: 'an idle charger',
        when: 'the CSMS sets MeterValueSampleInterval to -1 and to a word',
        follows: 'Rejected, and the value is as before',
      },
      async ({ csms }) => {
        const key = 'MeterValueSampleInterval';
        for (const value of ['-1', 'often']) {
          await csms.send('ChangeConfiguration', { key, value }, { status: 'Rejected' });
        }
        await csms.send('GetConfiguration', { key: [key] }, { configurationKey: [{ key, value: '60' }] });
      },
    ),
  ],
};

/** Some of those that every charger must have. */
const required = [
  'AuthorizeRemoteTxRequests',
  'ClockAlignedDataInterval',
  'ConnectionTimeOut',
  'GetConfigurationMaxKeys',
  'HeartbeatInterval',
  'LocalAuthorizeOffline',
  'LocalPreAuthorize',
  'MeterValuesAlignedData',
  'MeterValuesSampledData',
  'MeterValueSampleInterval',
  'NumberOfConnectors',
  'ResetRetries',
  'StopTransactionOnEVSideDisconnect',
  'StopTransactionOnInvalidId',
  'StopTxnAlignedData',
  'StopTxnSampledData',
  'SupportedFeatureProfiles',
  'TransactionMessageAttempts',
  'TransactionMessageRetryInterval',
  'UnlockConnectorOnEVSideDisconnect',
];

export const triggering: Group = {
  name: 'remote trigger',
  cases: [
    theCase(
      'TC_054_CS',
      'a message is asked for',
      {
        given: 'an idle charger',
        when: 'the CSMS asks for each message that there is',
        follows: 'Accepted each time, then the message; samples say that they were triggered',
      },
      async ({ csms }) => {
        const ask = (requestedMessage: string, more = {}) =>
          csms.send('TriggerMessage', { requestedMessage, ...more }, { status: 'Accepted' });
        await ask('MeterValues', first);
        const { meterValue } = csms.expect('MeterValues', { connectorId: 1, transactionId: absent });
        expectTrue(meterValue[0].sampledValue[0].context === 'Trigger', 'the sample was not triggered');
        await ask('Heartbeat');
        csms.expect('Heartbeat');
        await ask('StatusNotification', first);
        csms.expectStatus('Available');
        await ask('DiagnosticsStatusNotification');
        csms.expect('DiagnosticsStatusNotification', { status: 'Idle' });
        await ask('FirmwareStatusNotification');
        csms.expect('FirmwareStatusNotification', { status: 'Idle' });
        await ask('BootNotification');
        csms.expect('BootNotification', { chargePointModel: present });
      },
    ),
    theCase(
      'TC_055_CS',
      'a message of a connector that there is not',
      {
        given: 'a charger with one connector',
        when: 'the CSMS asks for the samples and the status of connector 2',
        follows: 'Rejected, and nothing is said',
      },
      async ({ csms }) => {
        for (const requestedMessage of ['MeterValues', 'StatusNotification']) {
          await csms.send('TriggerMessage', { requestedMessage, connectorId: 2 }, { status: 'Rejected' });
        }
        csms.expectSilence();
      },
    ),
  ],
};

export const dataTransfer: Group = {
  name: 'data transfer',
  cases: [
    theCase(
      'TC_062_CS',
      'a message of another maker',
      {
        given: 'an idle charger',
        when: 'the CSMS sends data of a maker that the charger does not know, then of its own maker',
        follows: 'UnknownVendorId, then UnknownMessageId; never an error',
      },
      async ({ csms }) => {
        await csms.send('DataTransfer', { vendorId: 'com.example', data: 'x' }, { status: 'UnknownVendorId' });
        await csms.send('DataTransfer', { vendorId: 'SimCo', messageId: 'm' }, { status: 'UnknownMessageId' });
      },
    ),
  ],
};
