import { isPublicAddress, webhookUrlProblem } from '../../api/core/http/webhookClient';

describe('addresses that events may go to', () => {
  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'https://user:secret@example.com/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://10.1.2.3/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fc00::1]/',
    'https://[ff02::1]/',
    'https://[2001:db8::1]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://[64:ff9b:1::a00:1]/',
    'https://[2001::1]/',
    'https://[fec0::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1%25eth0]/',
    'https://[::FFFF:169.254.169.254]/',
    'https://0x7f.1/',
    'https://0177.1/',
    'https://017700000001/',
    'https://0xa9fea9fe/',
    'https://127.0.0.1./',
    'https://%31%32%37.0.0.1/',
    'https://１２７.０.０.１/',
    'https://①②⑦.0.0.1/',
    'https://127。0。0。1/',
    'https://169.254.170.2/',
    'https://100.100.100.200/',
    'https://168.63.129.16/',
    'https://192.0.0.192/',
    'https://198.18.0.1/',
    'https://203.0.113.9/',
    'https://example.com:22/',
    'https://example.com:80/',
    'https://example.com:0/',
    'https://example.com:65536/',
    'https:// example.com/',
    'https://',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'gopher://example.com:8000/',
    'https://@example.com:secret@127.0.0.1/',
    'not a url',
    'https://example.com/\r\nX-Y: z',
    'https://exam\tple.com/',
    ' https://example.com/',
    'https://example.com/\u202egro.',
  ])('are not %s', (url) => {
    expect(webhookUrlProblem(url, false)).not.toBeNull();
  });

  it.each([
    'https://example.com/hook',
    'https://example.com:443/',
    'https://example.com:8443/',
    'https://EXAMPLE.com./',
    'https://bücher.example/',
    'https://93.184.216.34/',
    'https://[2606:2800:220:1:248:1893:25c8:1946]/',
    'https://[64:ff9b::5db8:d822]/',
  ])('are %s', (url) => {
    expect(webhookUrlProblem(url, false)).toBeNull();
  });

  it('are none of a zone of this machine, and none that is no address', () => {
    expect(['fe80::1%eth0', '2606:2800::1%1', 'example.com', ''].filter(isPublicAddress)).toEqual([]);
  });

  it('are private ones too where the operator allows them', () => {
    expect(webhookUrlProblem('http://127.0.0.1:3001/hook', true)).toBeNull();
    expect(webhookUrlProblem('http://user@127.0.0.1/', true)).not.toBeNull();
  });
});
