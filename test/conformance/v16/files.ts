// OCPP 1.6: new firmware comes down, diagnostics go up.

import { type Group, theCase } from '../case.ts';
import { expectSame, expectTrue, present } from '../expecting.ts';
import type { StageCsms } from '../stage.ts';

const location = 'ftp://files.test/acme-2.0.0.bin';

async function orders(csms: StageCsms): Promise<void> {
  csms.files.served.set(location, Buffer.from('firmware'));
  await csms.send('UpdateFirmware', { location, retrieveDate: csms.inS(30) });
}

const expectFirmware = (csms: StageCsms, status: string) => csms.expect('FirmwareStatusNotification', { status });

export const firmware: Group = {
  name: 'firmware',
  cases: [
    theCase(
      'TC_044_1_CS',
      'new firmware is fetched and installed',
      {
        given: 'an idle charger',
        when: 'the CSMS orders firmware for 30 s later',
        follows: 'Downloading not before, Downloaded, Unavailable, Installing; a boot with the new version, Installed',
      },
      async ({ station, csms }) => {
        await orders(csms);
        await station.waitS(29);
        csms.expectSilence();
        await station.waitS(1);
        expectFirmware(csms, 'Downloading');
        expectFirmware(csms, 'Downloaded');
        csms.expectStatus('Unavailable');
        expectFirmware(csms, 'Installing');
        await station.waitS(30);
        csms.expect('BootNotification', { firmwareVersion: '2.0.0' });
        for (const connectorId of [0, 1]) csms.expectStatus('Available', connectorId);
        expectFirmware(csms, 'Installed');
      },
    ),
    theCase(
      'TC_044_2_CS',
      'new firmware cannot be fetched',
      {
        given: 'an idle charger',
        when: 'the CSMS orders firmware from a place where there is none',
        follows: 'Downloading, DownloadFailed, and nothing changes',
      },
      async ({ station, csms }) => {
        await orders(csms);
        csms.files.served.clear();
        await station.waitS(30);
        expectFirmware(csms, 'Downloading');
        expectFirmware(csms, 'DownloadFailed');
        await station.waitS(30);
        csms.expectSilence();
      },
    ),
    theCase(
      'TC_044_3_CS',
      'new firmware does not take',
      {
        given: 'a charger on which the next installation will fail',
        when: 'the CSMS orders firmware',
        follows: 'Downloading, Downloaded, Unavailable, Installing, InstallationFailed, Available; no new version',
      },
      async ({ station, csms }) => {
        station.doom('InstallationFailed');
        await orders(csms);
        await station.waitS(60);
        for (const status of ['Downloading', 'Downloaded']) expectFirmware(csms, status);
        csms.expectStatus('Unavailable');
        for (const status of ['Installing', 'InstallationFailed']) expectFirmware(csms, status);
        csms.expectStatus('Available');
      },
    ),
  ],
};

const place = 'ftp://files.test/logs';

export const diagnostics: Group = {
  name: 'diagnostics',
  cases: [
    theCase(
      'TC_045_1_CS',
      'diagnostics are sent',
      {
        given: 'an idle charger',
        when: 'the CSMS asks for its diagnostics',
        follows: 'the name of the file; Uploading, Uploaded, and the file is there',
      },
      async ({ csms }) => {
        const { fileName } = await csms.send('GetDiagnostics', { location: place }, { fileName: present });
        for (const status of ['Uploading', 'Uploaded']) csms.expect('DiagnosticsStatusNotification', { status });
        expectSame(
          csms.files.received.map((file) => [file.location, file.fileName]),
          [[place, fileName]],
          'what was sent',
        );
      },
    ),
    theCase(
      'TC_045_2_CS',
      'diagnostics cannot be sent',
      {
        given: 'an idle charger',
        when: 'the CSMS asks for its diagnostics at a place that cannot be reached, to be tried twice, 10 s apart',
        follows: 'the name of the file; Uploading, and UploadFailed after the second try',
      },
      async ({ station, csms }) => {
        csms.files.troubles.push('file_failed', 'file_failed');
        const request = { location: place, retries: 2, retryInterval: 10 };
        await csms.send('GetDiagnostics', request, { fileName: present });
        csms.expect('DiagnosticsStatusNotification', { status: 'Uploading' });
        csms.expectSilence();
        await station.waitS(30);
        csms.expect('DiagnosticsStatusNotification', { status: 'UploadFailed' });
        expectTrue(csms.files.received.length === 0, 'something was sent');
      },
    ),
  ],
};
