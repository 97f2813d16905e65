import {
  userBriefShape,
  userObject,
  userObjectBrief,
  userObjectShape,
} from '../../api/services/identity/members/userObject';

const row = {
  id: 7,
  uid: '7b0f8d1e-0000-4000-8000-000000000000',
  email: 'anna.maria@example.com',
  name: ' Anna Maria Weiß ',
  locale: 'en',
  phone_number: '',
  profile_picture: '',
  created_at: new Date('2030-01-02T03:04:05.006Z'),
  updated_at: new Date('2030-01-02T03:04:05.006Z'),
};

describe('user object', () => {
  it('splits the name and takes the email for the username', () => {
    expect(userObject(row)).toMatchObject({
      id: 7,
      username: 'anna.maria',
      first_name: 'Anna',
      last_name: 'Maria Weiß',
      wallet_balance: '0.00',
      created_at: '2030-01-02T03:04:05.006Z',
      deleted_at: null,
      referred_by: null,
      source: 'unknown',
      last_login_source: 'unknown',
      email_notify_alerts: false,
    });
    expect(userObject({ ...row, name: '' })).toMatchObject({ first_name: '', last_name: '' });
  });

  it('has exactly the keys of its schema, the brief one four fewer', () => {
    expect(Object.keys(userObject(row)).sort()).toEqual([...(userObjectShape['required'] as string[])].sort());
    expect(Object.keys(userObjectBrief(row)).sort()).toEqual([...(userBriefShape['required'] as string[])].sort());
    const brief = Object.keys(userObjectBrief(row));
    expect(Object.keys(userObject(row)).filter((key) => !brief.includes(key))).toEqual([
      'source',
      'last_login_source',
      'email_notify_alerts',
      'email_notify_updates',
    ]);
  });
});
